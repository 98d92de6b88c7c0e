import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("event-route", {
  examples: ["amp notify event-routes delete lifecycle/installation.created"],
});
