import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("topic", {
  examples: [
    "amp notify topics delete lifecycle",
    "amp notify topics delete top_6986e173 --yes --json",
  ],
});
