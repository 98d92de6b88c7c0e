import { getRouteCommand } from "../route-commands.ts";

export default getRouteCommand("event-route", {
  examples: [
    "amp notify event-routes get lifecycle/installation.created",
    "amp notify event-routes get evr_445fc5fb --json",
  ],
});
