/** Faults of the embedded platform: for tests, and for trying what amp does about them. */
export {
  createFaultySandbox,
  type Exchange,
  type FaultySandbox,
  type Moment,
} from "./front.ts";
export { type FaultScript, parseScript } from "./script.ts";
export { onTheWire } from "./wire.ts";
