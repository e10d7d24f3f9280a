import { access } from "./access/commands.ts";
import { admin } from "./admin/commands.ts";
import { advisories } from "./advisories/commands.ts";
import { auth } from "./auth/commands.ts";
import { group } from "./command/definition.ts";
import { complete, completion } from "./completion/commands.ts";
import { config } from "./config/commands.ts";
import { help } from "./help/commands.ts";
import { iam } from "./iam/commands.ts";
import { registry } from "./registry/commands.ts";
import { repos } from "./repos/commands.ts";
import { serve } from "./serve/commands.ts";
import { tags } from "./tags/commands.ts";
import { versionCommand } from "./version/commands.ts";

/** Every command. */
export const tree = group({
  name: "wharf",
  summary: "Control plane for a company's container supply chain",
  description: `Data goes to stdout, everything else to stderr. What is missing is asked for at a terminal, and
refused elsewhere. \`wharf help COMMAND\` tells more about a command, \`wharf help formats\` about
templates, \`wharf help exit-codes\` about exit codes, \`wharf help environment\` about variables.`,
  commands: [
    auth,
    iam,
    access,
    repos,
    tags,
    advisories,
    config,
    serve,
    registry,
    admin,
    completion,
    complete,
    help,
    versionCommand,
  ],
});
