import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { PersonSession } from "@wharf/client";
import type { Context } from "../context.ts";
import { problemOf } from "../problem.ts";
import type { Sessions } from "./row.ts";

/** Requests at the same time. */
const AT_ONCE = 8;

export interface Live extends Sessions {
  /** The mappings that apply in a session of an identity. */
  mappingsOf(identity: string): ReadonlySet<string>;
}

/** Who is logged in through these identity providers, as far as the caller may know. */
export async function liveSessions(
  context: Context,
  providers: readonly string[],
  identity = "",
): Promise<Live> {
  const found: PersonSession[] = [];
  const known = new Set<string>();
  for (let at = 0; at < providers.length; at += AT_ONCE) {
    const some = providers.slice(at, at + AT_ONCE);
    const lists = await Promise.all(some.map((uid) => sessionsOf(context, uid, identity)));
    for (const [index, sessions] of lists.entries()) {
      if (sessions === undefined) continue;
      known.add(some[index] as string);
      found.push(...sessions);
    }
  }
  const count = (fits: (session: PersonSession) => boolean) => found.filter(fits).length;
  return {
    ofIdentity: (uid) =>
      known.size === 0 ? undefined : count((session) => session.identity === uid),
    ofMapping: (uid) =>
      known.has(uid.slice(0, uid.lastIndexOf("/")))
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

/** Those of one provider that have not ended; undefined when the caller may not list them. */
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
