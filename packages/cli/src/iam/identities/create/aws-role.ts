import type { Run } from "../../../command/types.ts";
import { makeAwsIdentity } from "./aws.ts";
import type { awsRoleDefinition } from "./commands.ts";

export const run: Run<typeof awsRoleDefinition> = (context, args) => {
  const { awsAccount: account, awsRole: principal, userId } = args;
  return makeAwsIdentity(context, args, { kind: "role", principal, account, userId });
};
