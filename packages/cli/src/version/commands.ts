import { command, define } from "../command/definition.ts";

export const versionDefinition = define({
  name: "version",
  summary: "Print the version",
  examples: [{ command: "wharf version" }, { command: "wharf --version" }],
});

export const versionCommand = command(versionDefinition, () => import("./version.ts"));
