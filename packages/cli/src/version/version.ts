import type { Run } from "../command/types.ts";
import { version } from "../version.ts";
import type { versionDefinition } from "./commands.ts";

export const run: Run<typeof versionDefinition> = async ({ out }) => out.text(version());
