import type { Run } from "../../command/types.ts";
import { notFound } from "../../errors.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import type { unsetDefinition } from "./commands.ts";
import { PROVIDERS, readProvider } from "./providers.ts";
import { associationOf } from "./set.ts";

export const run: Run<typeof unsetDefinition> = async (context, args) => {
  const all = args.provider === "all";
  const provider = all ? undefined : readProvider(args.provider);
  const { uid, name } = await resolveGroup(context, args.group);
  const before = await associationOf(context, uid);
  const field = provider && PROVIDERS[provider];
  if (before === undefined || (field !== undefined && before[field] === undefined)) {
    throw notFound(`${name} has no accounts${provider ? ` at ${provider}` : ""}`);
  }
  await context.confirm(`Forget the accounts of ${name}${provider ? ` at ${provider}` : ""}?`);
  const { accountAssociations } = await context.client();
  const { signal } = context;
  const others = [...Object.values(PROVIDERS), "chainguard" as const].filter(
    (other) => other !== field && before[other] !== undefined,
  );
  // One that holds nothing would only keep the group from being deleted.
  if (field === undefined || others.length === 0) {
    await accountAssociations.delete({ uid }, { signal });
  } else {
    await accountAssociations.update(
      { accountAssociation: { uid }, updateMask: [field] },
      { signal },
    );
  }
  context.err.note(`forgot the accounts of ${name}${provider ? ` at ${provider}` : ""}`);
};
