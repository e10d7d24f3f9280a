import { command, define, group } from "../command/definition.ts";

export const bashDefinition = define({
  name: "bash",
  summary: "Print the script for bash",
  examples: [
    { command: "source <(wharf completion bash)", shows: "for this shell" },
    {
      command: "wharf completion bash > ~/.local/share/bash-completion/completions/wharf",
      shows: "for every shell",
    },
  ],
});

export const zshDefinition = define({
  name: "zsh",
  summary: "Print the script for zsh",
  examples: [
    { command: "source <(wharf completion zsh)", shows: "for this shell, after compinit" },
    {
      command: `wharf completion zsh > "\${fpath[1]}/_wharf"`,
      shows: "for every shell",
    },
  ],
});

export const fishDefinition = define({
  name: "fish",
  summary: "Print the script for fish",
  examples: [
    { command: "wharf completion fish | source", shows: "for this shell" },
    {
      command: "wharf completion fish > ~/.config/fish/completions/wharf.fish",
      shows: "for every shell",
    },
  ],
});

export const completion = group({
  name: "completion",
  summary: "Print scripts with which shells complete commands, options and names",
  description: "Names come from the server, with the token that commands would use.",
  commands: [
    command(bashDefinition, () => import("./bash.ts")),
    command(zshDefinition, () => import("./zsh.ts")),
    command(fishDefinition, () => import("./fish.ts")),
  ],
});

export const completeDefinition = define({
  name: "__complete",
  summary: "Print what the last of the words may become",
  examples: [{ command: "wharf __complete -- iam organizations describe ac" }],
  raw: true,
  hidden: true,
});

export const complete = command(completeDefinition, () => import("./complete.ts"));
