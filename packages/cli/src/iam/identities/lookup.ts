import type { Run } from "../../command/types.ts";
import type { lookupDefinition } from "./commands.ts";

export const run: Run<typeof lookupDefinition> = async (context, { issuer, subject }) => {
  const { identities } = await context.client();
  const { uid } = await identities.lookup({ issuer, subject }, { signal: context.signal });
  await context.out.one({ uid, issuer, subject }, [
    { header: "UID", value: (found) => found.uid },
    { header: "Issuer", value: (found) => found.issuer },
    { header: "Subject", value: (found) => found.subject },
  ]);
};
