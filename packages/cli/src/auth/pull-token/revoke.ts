import type { Identity } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { notFound, usageError } from "../../errors.ts";
import type { revokeDefinition } from "./commands.ts";
import { findPullTokens, isPullToken } from "./find.ts";

export const run: Run<typeof revokeDefinition> = async (context, { token }) => {
  const { uid, name } = await resolve(context, token);
  await context.confirm(`Revoke pull token ${name} (${uid})?`);
  const { identities } = await context.client();
  await identities.delete({ uid }, { signal: context.signal });
  context.err.note(`revoked pull token ${name}`);
};

/** By uid, by the username that was printed, or by name. */
async function resolve(context: Context, text: string): Promise<Identity> {
  const uid = text.replaceAll("_", "/");
  if (isUid(uid)) {
    const { identities } = await context.client();
    const identity = await identities.get({ uid }, { signal: context.signal });
    if (isPullToken(identity)) return identity;
    throw usageError(`${identity.name} is an identity, but no pull token`);
  }
  const found = await Array.fromAsync(findPullTokens(context, { name: text }));
  const [first, second] = found;
  if (first === undefined) {
    throw notFound(`no pull token is named "${text}"`, "`wharf auth pull-token list` shows all");
  }
  if (second === undefined) return first;
  const uids = found.map((identity) => identity.uid);
  throw usageError(
    `${found.length} pull tokens are named "${text}"`,
    ["give the uid of one:", ...uids].join("\n    "),
  );
}
