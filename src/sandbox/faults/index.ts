/** Faults of the embedded platform: for tests, and for trying what amp does about them. */
export {
  createFaultySandbox,
  type Exchange,
  type FaultySandbox,
  type Moment,
  onTheWire,
} from "./faulty-sandbox.ts";
export { type FaultScript, parseScript } from "./script.ts";
