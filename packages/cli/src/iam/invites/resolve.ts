import type { GroupInvite } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Context } from "../../context.ts";
import { notFound } from "../../errors.ts";

/** The invite that someone means, by its uid or by the key of its code. */
export async function resolveInvite(context: Context, text: string): Promise<GroupInvite> {
  const { groupInvites } = await context.client();
  const { signal } = context;
  if (isUid(text)) return groupInvites.get({ uid: text }, { signal });
  const [found] = (await groupInvites.list({ keyId: text }, { signal })).groupInvites;
  if (found !== undefined) return found;
  throw notFound(
    `no invite has the uid or key "${text}"`,
    "`wharf iam invites list -o wide` shows both",
  );
}
