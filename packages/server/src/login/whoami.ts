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
import type { Caller } from "../auth/caller.ts";
import type { Engine } from "../engine/engine.ts";
import { bearerToken } from "../rpc/bearer.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { findSession } from "../store/sessions.ts";
import { groupV1 } from "../v1/groups.ts";
import { roleV1 } from "../v1/roles.ts";
import type { Described } from "./person.ts";

/**
 * Tells a caller who they are and what they hold, group by group.
 *
 * @example handlers.set(Auth.method.validate, validateMethod(engine));
 */
export function validateMethod(engine: Engine): Handler {
  return async (call) => {
    // The token has been verified on the way here; this only reads it.
    const claims = decodeJwt(bearerToken(call.authorization, "a token"));
    const described = await personOf(engine, call.caller);
    const answer = create(WhoAmISchema, {
      issuer: claims.iss ?? "",
      subject: claims.sub ?? "",
      audience: [claims.aud ?? []].flat(),
      expiry: timestampFromMs((claims.exp ?? 0) * 1000),
      issuedAt: timestampFromMs((claims.iat ?? 0) * 1000),
      capabilities: await capabilitiesOf(engine, call.caller),
      email: described?.email?.verified ? described.email.address : "",
      ...(described?.profile ? { profile: described.profile } : {}),
    });
    return messageReply(WhoAmISchema, answer);
  };
}

async function personOf(engine: Engine, { session }: Caller): Promise<Described | undefined> {
  const found = session ? await findSession(engine.store.reader, session) : undefined;
  return found && (JSON.parse(found.person) as Described);
}

async function capabilitiesOf(engine: Engine, caller: Caller): Promise<WhoAmI_Capability[]> {
  if (caller.isOperator) {
    const all = caller.grants.heldAt("").toArray().map(capabilityName);
    return [create(WhoAmI_CapabilitySchema, { capabilities: all })];
  }
  const { reader } = engine.store;
  const held = [...caller.grants.entries].filter(([, set]) => !set.isEmpty);
  const groups = await engine.groups.findMany(
    reader,
    held.map(([uid]) => uid),
  );
  const known = await rolesKnownTo(engine, caller);
  return held.flatMap(([uid, set]) => {
    const group = groups.get(uid);
    if (group === undefined) return [];
    const bits = set.encode();
    const role = known.find((one) => CapabilitySet.of(...one.capabilities).encode() === bits);
    return [
      create(WhoAmI_CapabilitySchema, {
        group: groupV1(group),
        ...(role ? { role: roleV1(role) } : { capabilities: set.toArray().map(capabilityName) }),
      }),
    ];
  });
}

/** Built-in roles, and those that the caller's own bindings name. */
async function rolesKnownTo(engine: Engine, caller: Caller): Promise<Role[]> {
  const { reader } = engine.store;
  const filter = { column: "identity_uid", value: caller.uid };
  const bindings = await engine.roleBindings.where(reader, filter);
  const uids = [...BUILTIN_ROLES.map(({ uid }) => uid), ...bindings.map((one) => one.roleUid)];
  return [...(await engine.roles.findMany(reader, uids)).values()];
}
