import { command, define, group } from "../command/definition.ts";
import { listOptions } from "../resource/options.ts";
import { CONFIG_KEYS, KEYS } from "./keys.ts";

const load = () => import("./run.ts");

const key = {
  name: "key",
  summary: "Key, such as platform.api",
  required: true,
  complete: async () => CONFIG_KEYS,
  pick: async () => CONFIG_KEYS.map((value) => ({ value, hint: KEYS[value].summary })),
} as const;

export const viewDefinition = define({
  name: "view",
  summary: "Show all settings, their values and their sources",
  examples: [
    { command: "wharf config view" },
    { command: "wharf config view --diff", shows: "only settings that differ from the defaults" },
  ],
  options: {
    diff: { type: "boolean", summary: "Only settings that differ from the defaults" },
    ...listOptions(),
  },
});

export const setDefinition = define({
  name: "set",
  summary: "Set a value in the config file",
  examples: [
    { command: "wharf config set platform.api https://wharf.example.com" },
    { command: "wharf config set default.group acme", shows: "default of --parent" },
  ],
  arguments: [key, { name: "value", summary: "Value", required: true }],
});

export const unsetDefinition = define({
  name: "unset",
  summary: "Remove a key from the config file",
  examples: [{ command: "wharf config unset default.group" }],
  arguments: [key],
});

export const validateDefinition = define({
  name: "validate",
  summary: "Check the config file and the connection to the server",
  description: `Checks each step of a request: config file, DNS, connection, TLS, HTTP, the issuer's discovery document
and the clock. Each failure is printed with the next step.`,
  examples: [
    { command: "wharf config validate" },
    { command: "wharf config validate --api https://wharf.example.com" },
  ],
  ignoresConfigErrors: true,
});

export const config = group({
  name: "config",
  summary: "View and change CLI settings",
  description: `The config file is YAML with sections of keys, such as platform.api. Unknown keys are errors. Keys:

${CONFIG_KEYS.map((name) => `  ${name.padEnd(26)} ${KEYS[name].summary}`).join("\n")}`,
  commands: [
    command(viewDefinition, load, "view"),
    command(setDefinition, load, "set"),
    command(unsetDefinition, load, "unset"),
    command(validateDefinition, load, "validate"),
  ],
});
