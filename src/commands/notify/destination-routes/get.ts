import { getRouteCommand } from "../route-commands.ts";

export default getRouteCommand("destination-route", {
  examples: [
    "amp notify destination-routes get lifecycle/ops",
    "amp notify destination-routes get dsr_445fc5fb --json",
  ],
});
