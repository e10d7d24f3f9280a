import { command, define, group } from "../command/definition.ts";
import { serverOptions } from "../serve/options.ts";

export const tokenDefinition = define({
  name: "token",
  summary: "Print a token of the operator, or of an identity, valid for an hour",
  examples: [
    { command: "wharf admin token --data ./data" },
    {
      command: "export WHARF_TOKEN=$(wharf admin token)",
      shows: "use it for the commands that follow",
    },
  ],
  raw: true,
  options: {
    identity: { type: "string", value: "UID", summary: "Whose token, if not the operator's." },
    ...serverOptions(),
  },
});

export const rotateDefinition = define({
  name: "rotate",
  summary: "Sign tokens with a new key from now on, and print its id",
  description: "The old key is accepted until the last token that it signed has ended.",
  examples: [{ command: "wharf admin keys rotate --data ./data" }],
  raw: true,
  options: serverOptions(),
});

export const resetAccountDefinition = define({
  name: "reset-account",
  summary: "Print a code with which someone chooses a new password or passkey",
  description: "It works once, within a day. Using it ends the account's sessions.",
  examples: [{ command: "wharf admin reset-account ada --data ./data" }],
  raw: true,
  arguments: [{ name: "username", summary: "The account's username.", required: true }],
  options: serverOptions(),
});

export const registrySecretDefinition = define({
  name: "registry-secret",
  summary: "Print the secret that a registry shows with its notifications",
  description: "It follows from the installation and the registry's host, and stays the same.",
  examples: [{ command: "wharf admin registry-secret registry.example.com --data ./data" }],
  raw: true,
  arguments: [{ name: "host", summary: "The registry, where several are attached." }],
  options: serverOptions(),
});

const keys = group({
  name: "keys",
  summary: "Manage the keys that sign tokens",
  commands: [command(rotateDefinition, () => import("./rotate.ts"))],
});

export const admin = group({
  name: "admin",
  summary: "Work on the store itself, as whoever can read it may",
  description: "These take the settings of `wharf serve`, and work while the server runs or not.",
  commands: [
    command(tokenDefinition, () => import("./token.ts")),
    command(resetAccountDefinition, () => import("./reset-account.ts")),
    command(registrySecretDefinition, () => import("./registry-secret.ts")),
    keys,
  ],
});
