export { default } from "./auth/status.ts";
