import type { Context } from "../../../context.ts";
import { makeIdentity } from "./make.ts";
import { nameFrom, quoted } from "./name.ts";

/** A role or user of AWS, as GetCallerIdentity tells of it. */
export interface AwsPrincipal {
  readonly kind: "role" | "user";
  readonly principal: string;
  readonly account: string;
  /** The id that stays when the name is given to another: `AROA…` or `AIDA…`. */
  readonly userId: string | undefined;
}

/** What the commands share. */
export interface AwsArgs {
  readonly name: string | undefined;
  readonly parent: string;
  readonly role: readonly string[];
  readonly description: string | undefined;
}

/**
 * Creates the identity of a role or user. A role has another session each time, so that part of its
 * ARN and user id can be anything.
 */
export async function makeAwsIdentity(
  context: Context,
  { name, parent, role, description }: AwsArgs,
  { kind, principal, account, userId }: AwsPrincipal,
): Promise<void> {
  if (userId === undefined) {
    context.err.warn(
      `only the name of the ${kind} is checked, and it can be deleted and made again: give --user-id, as \`aws iam get-${kind}\` prints it`,
    );
  }
  const partition = "arn:aws(-[a-z]+)*";
  const value =
    kind === "role"
      ? {
          awsAccount: account,
          awsArn: pattern(
            "arnPattern",
            `${partition}:sts::${account}:assumed-role/${quoted(principal)}/.+`,
          ),
          awsUserId: pattern("userIdPattern", `${userId ? quoted(userId) : "AROA[A-Z0-9]+"}:.+`),
        }
      : {
          awsAccount: account,
          awsArn: pattern(
            "arnPattern",
            `${partition}:iam::${account}:user/(.+/)?${quoted(principal)}`,
          ),
          awsUserId: userId
            ? ({ case: "userId", value: userId } as const)
            : pattern("userIdPattern", "AIDA[A-Z0-9]+"),
        };
  const identity = {
    name: name ?? nameFrom("aws", account, principal),
    description: description ?? `AWS ${kind} ${principal} of ${account}`,
    relationship: { case: "awsIdentity", value } as const,
  };
  await makeIdentity(context, { parent, roles: role, identity });
}

function pattern<Case extends string>(name: Case, value: string): { case: Case; value: string } {
  return { case: name, value };
}
