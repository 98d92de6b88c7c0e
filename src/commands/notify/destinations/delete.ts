import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("destination", {
  examples: [
    "amp notify destinations delete ops",
    "amp notify destinations delete ops --accept references --yes",
  ],
});
