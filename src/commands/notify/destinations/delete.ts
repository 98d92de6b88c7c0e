import { suggest } from "../../../values/suggested-command.ts";
import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("destination", {
  examples: [
    "amp notify destinations delete ops",
    "amp notify destinations delete ops --break-references --yes",
  ],
  list: suggest("notify destinations list"),
  again: (name) => suggest("notify destinations get", [name]),
});
