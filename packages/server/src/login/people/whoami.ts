import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  BUILTIN_ROLES,
  CapabilitySet,
  capabilityName,
  type Role,
  type WhoAmI_Capability,
  WhoAmI_CapabilitySchema,
  WhoAmISchema,
} from "@wharf/contract";
import { decodeJwt } from "jose";
import type { Caller } from "../../auth/caller.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { groupV1, roleV1 } from "../../iam/v1-messages.ts";
import { requireBearer } from "../../lib/bearer.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Store } from "../../store/db/store.ts";
import { boundRoles } from "../../store/tables/access/identity-bindings.ts";
import { findSession } from "../../store/tables/login/sessions.ts";
import type { PersonClaims } from "./person.ts";

/** Returns the identity of the caller and what it holds, by group. */
export function validateMethod(deps: ListDeps): Handler {
  return async (call) => {
    // The token has been verified before; this only decodes it.
    const claims = decodeJwt(requireBearer(call.authorization, "a token"));
    const described = await personOf(deps.store, call.caller);
    const answer = create(WhoAmISchema, {
      issuer: claims.iss ?? "",
      subject: claims.sub ?? "",
      audience: [claims.aud ?? []].flat(),
      expiry: timestampFromMs((claims.exp ?? 0) * 1000),
      issuedAt: timestampFromMs((claims.iat ?? 0) * 1000),
      capabilities: await capabilitiesOf(deps, call),
      email: described?.email?.verified ? described.email.address : "",
      ...(described?.profile ? { profile: described.profile } : {}),
    });
    return messageReply(WhoAmISchema, answer);
  };
}

async function personOf(store: Store, { session }: Caller): Promise<PersonClaims | undefined> {
  const found = session ? await findSession(store.reader, session) : undefined;
  return found && (JSON.parse(found.person) as PersonClaims);
}

async function capabilitiesOf(deps: ListDeps, call: Call): Promise<WhoAmI_Capability[]> {
  const { caller } = call;
  if (caller.isOperator) {
    const all = caller.grants.heldAt("").toArray().map(capabilityName);
    return [create(WhoAmI_CapabilitySchema, { capabilities: all })];
  }
  const held = [...caller.grants.entries].filter(([, set]) => !set.isEmpty);
  return deps.lists.run(call, held.length, async (task) => {
    const known = await rolesKnownTo(deps, caller, task);
    const all: WhoAmI_Capability[] = [];
    for (let at = 0; at < held.length; at += GROUPS_PER_READ) {
      all.push(...(await shown(deps, held.slice(at, at + GROUPS_PER_READ), known)));
      await task.pause();
    }
    return all;
  });
}

/** Groups per statement. */
const GROUPS_PER_READ = 100;

async function shown(
  deps: ResourceStore,
  held: readonly (readonly [uid: string, set: CapabilitySet])[],
  known: ReadonlyMap<string, Role>,
): Promise<WhoAmI_Capability[]> {
  const groups = await deps.catalog.groups.findMany(
    deps.store.reader,
    held.map(([uid]) => uid),
  );
  return held.flatMap(([uid, set]) => {
    const group = groups.get(uid);
    if (group === undefined) return [];
    const role = known.get(set.encode());
    return [
      create(WhoAmI_CapabilitySchema, {
        group: groupV1(group),
        ...(role ? { role: roleV1(role) } : { capabilities: set.toArray().map(capabilityName) }),
      }),
    ];
  });
}

/** Built-in roles and those of the caller's bindings, by capability set. */
async function rolesKnownTo(
  { store: { reader }, catalog: { roles } }: ResourceStore,
  caller: Caller,
  task: SlicedTask,
): Promise<Map<string, Role>> {
  const uids = new Set<string>(BUILTIN_ROLES.map(({ uid }) => uid));
  for await (const bound of boundRoles(reader, caller.uid)) {
    for (const [, role] of bound) uids.add(role);
    await task.pause();
  }
  const known = new Map<string, Role>();
  for (let rest = [...uids]; rest.length > 0; rest = rest.slice(ROLES_PER_READ)) {
    const found = await roles.findMany(reader, rest.slice(0, ROLES_PER_READ));
    for (const role of found.values()) {
      const bits = CapabilitySet.of(...role.capabilities).encode();
      if (!known.has(bits)) known.set(bits, role);
    }
    await task.pause();
  }
  return known;
}

/** Roles per statement: all built-in ones fit. */
const ROLES_PER_READ = 200;
