import { choice, defineCommand, required } from "../cli/define.ts";

export default defineCommand({
  description: `Prints the completion script of a shell. At each Tab the shell then asks the program itself, which reads no credential and sends nothing: names of projects, integrations, customers, destinations and topics are those that lists have shown, kept for each profile in a private file of the cache folder.

bash: add this to ~/.bashrc
  source <(amp completion bash)
  (bash 3.2, as on macOS: eval "$(amp completion bash)")
zsh: add this to ~/.zshrc, below compinit
  source <(amp completion zsh)
fish: add this to ~/.config/fish/config.fish
  amp completion fish | source
powershell: add this to the file that $PROFILE names
  amp completion powershell | Out-String | Invoke-Expression`,
  args: {
    shell: required(
      choice("shell to print the script for", ["bash", "zsh", "fish", "powershell"], {
        placeholder: "shell",
      }),
    ),
  },
  examples: ["amp completion bash", "amp completion zsh > _amp"],
  run: async ({ args, write }) => {
    const { stubOf } = await import("../cli/completion/stubs.ts");
    await write(stubOf(args.shell));
  },
});
