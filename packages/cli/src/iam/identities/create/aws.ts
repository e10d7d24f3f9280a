import type { Run } from "../../../command/types.ts";
import type { Context } from "../../../context.ts";
import type { awsRoleDefinition, awsUserDefinition } from "./commands.ts";
import { createIdentity, escapeRegex, nameFrom } from "./run.ts";

/** A role or user, as GetCallerIdentity returns it. */
interface Principal {
  readonly kind: "role" | "user";
  readonly name: string;
  readonly account: string;
  /** `AROA…` or `AIDA…`; unlike a name, it is never reused. */
  readonly userId: string | undefined;
}

interface CreateArgs {
  readonly name: string | undefined;
  readonly parent: string;
  readonly role: readonly string[];
  readonly description: string | undefined;
}

export const createRole: Run<typeof awsRoleDefinition> = (context, args) => {
  const { awsAccount: account, awsRole, userId } = args;
  return createFor(context, args, { kind: "role", name: awsRole, account, userId });
};

export const createUser: Run<typeof awsUserDefinition> = (context, args) => {
  const { awsAccount: account, awsUser, userId } = args;
  return createFor(context, args, { kind: "user", name: awsUser, account, userId });
};

async function createFor(
  context: Context,
  { name, parent, role, description }: CreateArgs,
  principal: Principal,
): Promise<void> {
  const { kind, account, userId } = principal;
  if (userId === undefined) {
    context.err.warn(
      `only the name of the ${kind} is checked, which can be deleted and reused: give --user-id, as \`aws iam get-${kind}\` prints it`,
    );
  }
  const value = {
    awsAccount: account,
    awsArn: { case: "arnPattern", value: arnPattern(principal) } as const,
    awsUserId:
      kind === "user" && userId
        ? ({ case: "userId", value: userId } as const)
        : ({ case: "userIdPattern", value: userIdPattern(principal) } as const),
  };
  const identity = {
    name: name ?? nameFrom("aws", account, principal.name),
    description: description ?? `AWS ${kind} ${principal.name} of ${account}`,
    relationship: { case: "awsIdentity", value } as const,
  };
  await createIdentity(context, { parent, roles: role, identity });
}

/** The ARN of a role ends in the session name, which can be anything. */
function arnPattern({ kind, name, account }: Principal): string {
  const partition = "arn:aws(-[a-z]+)*";
  return kind === "role"
    ? `${partition}:sts::${account}:assumed-role/${escapeRegex(name)}/.+`
    : `${partition}:iam::${account}:user/(.+/)?${escapeRegex(name)}`;
}

/** The user ID of a role ends in the session name, too. */
function userIdPattern({ kind, userId }: Principal): string {
  if (kind === "user") return "AIDA[A-Z0-9]+";
  return `${userId ? escapeRegex(userId) : "AROA[A-Z0-9]+"}:.+`;
}
