import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("destination-route", {
  examples: ["amp notify destination-routes delete lifecycle/ops --yes"],
});
