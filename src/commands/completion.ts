import { choice, defineCommand, required } from "../cli/define.ts";

export default defineCommand({
  description: `Prints a completion script. Pressing Tab does not start amp, except to list profiles and fields.

bash: add this to ~/.bashrc
  source <(amp completion bash)
  (bash 3.2, as on macOS: eval "$(amp completion bash)")
zsh: add this to ~/.zshrc, below compinit
  source <(amp completion zsh)
fish:
  amp completion fish > ~/.config/fish/completions/amp.fish
powershell: add this to the file that $PROFILE names
  amp completion powershell | Out-String | Invoke-Expression`,
  args: {
    shell: required(
      choice("shell to generate the script for", ["bash", "zsh", "fish", "powershell"], {
        placeholder: "shell",
      }),
    ),
  },
  examples: ["amp completion bash", "amp completion zsh > _amp"],
  run: async ({ args, tree, write }) => {
    const { SHELLS } = await import("../cli/completion/scripts.ts");
    await write(SHELLS[args.shell].script(await tree()));
  },
});
