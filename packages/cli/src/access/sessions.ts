import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { PersonSession } from "@wharf/client";
import { parentOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { problemOf } from "../problem.ts";

const CONCURRENCY = 8;

/** Active sessions per identity and per group mapping; undefined where they are not visible. */
export interface SessionCounts {
  ofIdentity(uid: string): number | undefined;
  ofMapping(uid: string): number | undefined;
}

export interface ActiveSessions extends SessionCounts {
  /** The mappings that apply in sessions of an identity. */
  mappingsOf(identity: string): ReadonlySet<string>;
}

/** Reads the active sessions of identity providers, as far as the caller is allowed to. */
export async function activeSessions(
  context: Context,
  providers: readonly string[],
  identity = "",
): Promise<ActiveSessions> {
  const found: PersonSession[] = [];
  const visible = new Set<string>();
  for (let start = 0; start < providers.length; start += CONCURRENCY) {
    const batch = providers.slice(start, start + CONCURRENCY);
    const lists = await Promise.all(batch.map((uid) => sessionsOf(context, uid, identity)));
    for (const [index, sessions] of lists.entries()) {
      if (sessions === undefined) continue;
      visible.add(batch[index] as string);
      found.push(...sessions);
    }
  }
  const count = (matches: (session: PersonSession) => boolean) => found.filter(matches).length;
  return {
    ofIdentity: (uid) =>
      visible.size === 0 ? undefined : count((session) => session.identity === uid),
    ofMapping: (uid) =>
      visible.has(parentOf(uid))
        ? count((session) => session.externalGroupRoleMappings.includes(uid))
        : undefined,
    mappingsOf: (uid) =>
      new Set(
        found
          .filter((session) => session.identity === uid)
          .flatMap((session) => session.externalGroupRoleMappings),
      ),
  };
}

/** The active sessions of a provider; undefined if the caller is not allowed to list them. */
async function sessionsOf(
  { client, signal }: Context,
  identityProvider: string,
  identity: string,
): Promise<PersonSession[] | undefined> {
  const { sessions } = await client();
  try {
    const all = await Array.fromAsync(sessions.listAll({ identityProvider, identity }, { signal }));
    return all.filter(({ expireTime }) => !expireTime || timestampMs(expireTime) > Date.now());
  } catch (error) {
    if (["PERMISSION_DENIED", "NOT_FOUND"].includes(problemOf(error).code ?? "")) return undefined;
    throw error;
  }
}
