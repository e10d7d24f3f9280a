import {
  type AccessGrant,
  AccessGrantKind,
  AccessObstacle,
  CheckAccessRequest_View,
} from "@wharf/client";
import type { Run } from "../command/types.ts";
import { EXIT } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { readCapability } from "../resolve/capabilities.ts";
import { resolveIdentity } from "../resolve/resolve.ts";
import type { checkDefinition } from "./commands.ts";
import { resourceUid } from "./resource-uid.ts";

/** An answer, with names for people. */
interface Answer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly identityUid: string;
  readonly resourceUid: string;
  readonly grants: readonly AccessGrant[];
  readonly hiddenGrant: boolean;
  readonly public: boolean;
  readonly roles: readonly string[];
  readonly grantors: readonly string[];
}

const COLUMNS: readonly Column<Answer>[] = [
  { header: "Allowed", value: ({ allowed }) => (allowed ? "yes" : "no") },
  { header: "Reason", value: ({ reason }) => reason },
  { header: "Grants", value: ({ grants }) => grants.map(textOfGrant) },
  { header: "Roles that grant it", value: ({ roles }) => roles },
  { header: "Who can grant them", value: ({ grantors }) => grantors },
];

export const check: Run<typeof checkDefinition> = async (context, args) => {
  const capability = readCapability("CAPABILITY", args.capability);
  const [resource, identity] = await Promise.all([
    resourceUid(context, args.resource),
    args.identity === undefined ? undefined : resolveIdentity(context, args.identity),
  ]);
  const { access } = await context.client();
  const { signal } = context;
  const view = args.decision
    ? CheckAccessRequest_View.DECISION
    : CheckAccessRequest_View.VIEW_UNSPECIFIED;
  const request = { resource, capability, identity: identity?.uid ?? "", view };
  const { allowed, reason, remedy, ...answer } = await access.check(request, { signal });
  const { grants, hiddenGrant } = answer;
  await context.out.one<Answer>(
    {
      allowed,
      reason,
      identityUid: answer.identity,
      resourceUid: resource,
      grants,
      hiddenGrant,
      public: answer.public,
      roles: remedy?.roles.map(({ name }) => name) ?? [],
      grantors: remedy?.grantors.map(({ email, name, uid }) => email || name || uid) ?? [],
    },
    COLUMNS,
    { id: ({ identityUid }) => identityUid },
  );
  if (!allowed) process.exitCode = EXIT.failed;
};

const OBSTACLES: Readonly<Record<number, string>> = {
  [AccessObstacle.DEACTIVATED]: " (deactivated)",
  [AccessObstacle.SIGN_IN]: " (not in this session)",
  [AccessObstacle.TOKEN_SCOPE]: " (not in the scope of the token)",
};

function textOfGrant({ kind, role, group, externalGroupId, obstacle }: AccessGrant): string {
  if (kind === AccessGrantKind.OPERATOR) return `operator${OBSTACLES[obstacle] ?? ""}`;
  const through = kind === AccessGrantKind.GROUP_MAPPING ? ` through ${externalGroupId}` : "";
  return `${role?.name} at ${group?.name || group?.uid}${through}${OBSTACLES[obstacle] ?? ""}`;
}
