import type { Run } from "../command/types.ts";
import { Logins } from "./cache/logins.ts";
import type { deleteAccountDefinition } from "./commands.ts";
import { nameOf } from "./who.ts";

export const run: Run<typeof deleteAccountDefinition> = async (context) => {
  const { settings, environment, err, signal } = context;
  const { auth } = await context.client();
  const { subject, email } = await auth.validate({}, { signal });
  const who = nameOf({ email, identity: subject });
  await context.confirm(`Delete ${who} at ${settings.issuer}, and all that was given to it?`);
  await auth.delete({ id: subject }, { signal });
  Logins.of(environment).remove({ issuer: settings.issuer, identity: subject });
  err.note(`deleted ${who}`);
};
