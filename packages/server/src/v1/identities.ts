import { create } from "@bufbuild/protobuf";
import {
  Capability,
  IdentitiesService,
  type Identity,
  LookupIdentityRequestSchema,
} from "@wharf/contract";
import { identitiesV1 } from "@wharf/contract/v1";
import type { Engine } from "../engine/engine.ts";
import { notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { type Adapted, adapt, type Within } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";
import { relationshipV1, relationshipV2 } from "./relationship.ts";

const { Identities, IdentitySchema } = identitiesV1;

const NAMES = {
  parent: "parentId",
  staticKeys: "static",
  expirationTime: "expiration",
  lastSeenTime: "lastSeen",
};

/** All that a PUT replaces; the company is not known here, so it is left as it is. */
const REPLACED = [
  "name",
  "description",
  "claim_match",
  "static_keys",
  "aws_identity",
  "service_principal",
];

/**
 * Identities as version 1 has them.
 *
 * @example handlers.push(...identityMethods(within, engine));
 */
export function identityMethods(within: Within, engine: Engine): Adapted[] {
  return [
    adapt(within, {
      method: Identities.method.create,
      onto: IdentitiesService.method.createIdentity,
      request: ({ parentId, identity }) => {
        return { parent: parentId, ...(identity && { identity: toV2(identity) }) };
      },
      answer: identityV1,
      names: NAMES,
    }),
    adapt(within, {
      method: Identities.method.update,
      onto: IdentitiesService.method.updateIdentity,
      request: (identity) => ({ identity: toV2(identity), updateMask: { paths: REPLACED } }),
      answer: identityV1,
      names: NAMES,
    }),
    adaptList(within, {
      method: Identities.method.list,
      onto: IdentitiesService.method.listIdentities,
      request({ id, uidp }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter };
      },
      items: ({ identities }) => identities,
      item: identityV1,
    }),
    [Identities.method.lookup, lookup(within, engine)],
    adapt(within, {
      method: Identities.method.delete,
      onto: IdentitiesService.method.deleteIdentity,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

/**
 * Version 2 tells the uid of whoever could ever be; version 1 tells whether they are there. All who
 * are known may ask, so others than those who may list the identity learn nothing else of it.
 */
function lookup(within: Within, { store, catalog: { identities } }: Engine): Handler {
  return async (call, request) => {
    const { issuer, subject } = request as identitiesV1.LookupRequest;
    const asked = create(LookupIdentityRequestSchema, { issuer, subject });
    const { uid } = await within(call, IdentitiesService.method.lookupIdentity, asked);
    const found = await identities.find(store.reader, uid);
    if (found === undefined) throw notFound("Identity", `${issuer} ${subject}`);
    const maySee = call.caller.grants.holds([Capability.CAP_IAM_IDENTITY_LIST], uid);
    return messageReply(
      IdentitySchema,
      maySee ? identityV1(found) : onlyWhatWasSent(uid, issuer, subject),
    );
  };
}

/** An identity as far as the caller knew it, with its id. */
function onlyWhatWasSent(id: string, issuer: string, subject: string): identitiesV1.Identity {
  const value = {
    iss: { case: "issuer", value: issuer },
    sub: { case: "subject", value: subject },
  } as const;
  return create(IdentitySchema, { id, relationship: { case: "claimMatch", value } });
}

function toV2({ id, name, description, relationship }: identitiesV1.Identity) {
  return { uid: id, name, description, relationship: relationshipV2(relationship) };
}

/**
 * An identity as version 1 shows it.
 *
 * @example identityV1(identity).createdAt
 */
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
