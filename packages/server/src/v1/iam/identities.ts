import { create } from "@bufbuild/protobuf";
import {
  Capability,
  IdentitiesService,
  type Identity,
  LookupIdentityRequestSchema,
} from "@wharf/contract";
import { identitiesV1 } from "@wharf/contract/v1";
import type { ResourceStore } from "../../engine/catalog.ts";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";
import { relationshipV1, relationshipV2 } from "./relationship.ts";

const { Identities, IdentitySchema } = identitiesV1;

const NAMES = {
  parent: "parentId",
  staticKeys: "static",
  expirationTime: "expiration",
  lastSeenTime: "lastSeen",
};

/** The update mask of a PUT. Version 1 has no company field, so it is not among them. */
const UPDATE_PATHS = [
  "name",
  "description",
  "claim_match",
  "static_keys",
  "aws_identity",
  "service_principal",
];

/** The version 1 methods of identities. */
export function identityMethods(invoke: Invoke, deps: ResourceStore): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Identities.method.create,
      target: IdentitiesService.method.createIdentity,
      request: ({ parentId, identity }) => {
        return { parent: parentId, ...(identity && { identity: toV2(identity) }) };
      },
      response: identityV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: Identities.method.update,
      target: IdentitiesService.method.updateIdentity,
      request: (identity) => ({ identity: toV2(identity), updateMask: { paths: UPDATE_PATHS } }),
      response: identityV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: Identities.method.list,
      target: IdentitiesService.method.listIdentities,
      request({ id, uidp }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter };
      },
      items: ({ identities }) => identities,
      item: identityV1,
    }),
    [Identities.method.lookup, lookup(invoke, deps)],
    adapt(invoke, {
      method: Identities.method.delete,
      target: IdentitiesService.method.deleteIdentity,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

/**
 * Version 2 computes the uid of any issuer and subject; version 1 also says whether the identity exists.
 * Every authenticated caller may look up, so a caller who may not list the identity sees no other field.
 */
function lookup(invoke: Invoke, { store, catalog: { identities } }: ResourceStore): Handler {
  return async (call, request) => {
    const { issuer, subject } = request as identitiesV1.LookupRequest;
    const lookup = create(LookupIdentityRequestSchema, { issuer, subject });
    const { uid } = await invoke(call, IdentitiesService.method.lookupIdentity, lookup);
    const found = await identities.find(store.reader, uid);
    if (found === undefined) throw notFound("Identity", `${issuer} ${subject}`);
    const maySee = call.caller.grants.holds([Capability.CAP_IAM_IDENTITY_LIST], uid);
    return messageReply(
      IdentitySchema,
      maySee ? identityV1(found) : claimsOnly(uid, issuer, subject),
    );
  };
}

/** An identity with its id and the claims that the caller sent. */
function claimsOnly(id: string, issuer: string, subject: string): identitiesV1.Identity {
  const value = {
    iss: { case: "issuer", value: issuer },
    sub: { case: "subject", value: subject },
  } as const;
  return create(IdentitySchema, { id, relationship: { case: "claimMatch", value } });
}

function toV2({ id, name, description, relationship }: identitiesV1.Identity) {
  return { uid: id, name, description, relationship: relationshipV2(relationship) };
}

/** Translates an identity to version 1. */
export function identityV1(identity: Identity): identitiesV1.Identity {
  const { uid, name, description, relationship } = identity;
  const { createTime, updateTime, lastSeenTime } = identity;
  return create(IdentitySchema, {
    id: uid,
    name,
    description,
    ...(createTime && { createdAt: createTime }),
    ...(updateTime && { updatedAt: updateTime }),
    ...(lastSeenTime && { lastSeen: lastSeenTime }),
    relationship: relationshipV1(relationship),
  });
}
