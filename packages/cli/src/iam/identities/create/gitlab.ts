import type { Run } from "../../../command/types.ts";
import { usageError } from "../../../errors.ts";
import type { gitlabDefinition } from "./commands.ts";
import { makeIdentity } from "./make.ts";
import { nameFrom, quoted } from "./name.ts";
import { trustOf } from "./trust.ts";

export const run: Run<typeof gitlabDefinition> = async (context, args) => {
  const { projectPath, refType, ref, host, parent, role, description } = args;
  if (!/^[^/\s:]+(\/[^/\s:]+)+$/.test(projectPath)) {
    throw usageError(`--project-path must be GROUP/PROJECT, not "${projectPath}"`);
  }
  if (ref === undefined) {
    context.err.warn(`every ${refType} of ${projectPath} is let in: --ref narrows it`);
  }
  const who = `project_path:${projectPath}:ref_type:${refType}:ref:`;
  const relationship = trustOf({
    ...args,
    issuer: `https://${host}`,
    subject: ref === undefined ? undefined : `${who}${ref}`,
    subjectPattern: ref === undefined ? `${quoted(who)}.+` : undefined,
  });
  const identity = {
    name: args.name ?? nameFrom("gitlab", ...projectPath.split("/")),
    description: description ?? `GitLab CI of ${projectPath}`,
    relationship,
  };
  await makeIdentity(context, { parent, roles: role, identity });
};
