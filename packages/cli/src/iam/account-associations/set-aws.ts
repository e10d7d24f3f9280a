import type { Run } from "../../command/types.ts";
import type { setAwsDefinition } from "./commands.ts";
import { setAccounts } from "./set.ts";

export const run: Run<typeof setAwsDefinition> = (context, { group, account }) =>
  setAccounts(context, group, "aws", () => ({ amazon: { account } }));
