import type { Run } from "../../../command/types.ts";
import { makeAwsIdentity } from "./aws.ts";
import type { awsUserDefinition } from "./commands.ts";

export const run: Run<typeof awsUserDefinition> = (context, args) => {
  const { awsAccount: account, awsUser: principal, userId } = args;
  return makeAwsIdentity(context, args, { kind: "user", principal, account, userId });
};
