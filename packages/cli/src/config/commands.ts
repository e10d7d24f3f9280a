import { command, define, group } from "../command/definition.ts";
import { CONFIG_KEYS, KEYS } from "./keys.ts";

const key = {
  name: "key",
  summary: "Such as platform.api",
  required: true,
  complete: async () => CONFIG_KEYS,
  pick: async () => CONFIG_KEYS.map((value) => ({ value, hint: KEYS[value].summary })),
} as const;

export const viewDefinition = define({
  name: "view",
  summary: "Show every setting, its value and where that comes from",
  examples: [
    { command: "wharf config view" },
    { command: "wharf config view --diff", shows: "only what is not the default" },
  ],
  options: { diff: { type: "boolean", summary: "Only what differs from the defaults" } },
});

export const setDefinition = define({
  name: "set",
  summary: "Keep a setting in the config file",
  examples: [
    { command: "wharf config set platform.api https://wharf.example.com" },
    { command: "wharf config set default.group acme", shows: "what --parent is otherwise" },
  ],
  arguments: [key, { name: "value", summary: "Its value", required: true }],
});

export const unsetDefinition = define({
  name: "unset",
  summary: "Take a setting out of the config file",
  examples: [{ command: "wharf config unset default.group" }],
  arguments: [key],
});

export const validateDefinition = define({
  name: "validate",
  summary: "Find out whether the server can be reached, and if not, why",
  description: `Goes the way that a request goes: the config file, the server's name, the connection, TLS, HTTP,
the issuer's discovery document, and the clock. Each step says what to do if it fails.`,
  examples: [
    { command: "wharf config validate" },
    { command: "wharf config validate --api https://wharf.example.com" },
  ],
  ignoresConfigErrors: true,
});

export const config = group({
  name: "config",
  summary: "Look at and change what commands go by",
  description: `The config file is YAML: keys in sections, such as platform.api. Unknown keys are refused. Keys:

${CONFIG_KEYS.map((name) => `  ${name.padEnd(26)} ${KEYS[name].summary}`).join("\n")}`,
  commands: [
    command(viewDefinition, () => import("./view.ts")),
    command(setDefinition, () => import("./set.ts")),
    command(unsetDefinition, () => import("./unset.ts")),
    command(validateDefinition, () => import("./validate.ts")),
  ],
});
