import { command, define, group } from "../command/definition.ts";

const load = () => import("./scripts.ts");

export const bashDefinition = define({
  name: "bash",
  summary: "Print the completion script for bash",
  examples: [
    { command: "source <(wharf completion bash)", shows: "for the current shell" },
    {
      command: "wharf completion bash > ~/.local/share/bash-completion/completions/wharf",
      shows: "for all shells",
    },
  ],
});

export const zshDefinition = define({
  name: "zsh",
  summary: "Print the completion script for zsh",
  examples: [
    { command: "source <(wharf completion zsh)", shows: "for the current shell, after compinit" },
    {
      command: `wharf completion zsh > "\${fpath[1]}/_wharf"`,
      shows: "for all shells",
    },
  ],
});

export const fishDefinition = define({
  name: "fish",
  summary: "Print the completion script for fish",
  examples: [
    { command: "wharf completion fish | source", shows: "for the current shell" },
    {
      command: "wharf completion fish > ~/.config/fish/completions/wharf.fish",
      shows: "for all shells",
    },
  ],
});

export const completion = group({
  name: "completion",
  summary: "Print shell completion scripts for commands, options and names",
  description: "Names are read from the server, with the token of the current login.",
  commands: [
    command(bashDefinition, load, "bash"),
    command(zshDefinition, load, "zsh"),
    command(fishDefinition, load, "fish"),
  ],
});

export const completeDefinition = define({
  name: "__complete",
  summary: "Print completions of the last word",
  examples: [{ command: "wharf __complete -- iam organizations describe ac" }],
  raw: true,
  hidden: true,
});

export const complete = command(completeDefinition, () => import("./candidates.ts"), "complete");
