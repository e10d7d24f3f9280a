import { create, equals } from "@bufbuild/protobuf";
import {
  Capability,
  CapabilitySet,
  IdentitiesService,
  type Identity,
  IdentitySchema,
  type LookupIdentityRequest,
  LookupIdentityResponseSchema,
  literalIdentityUid,
  RelationshipType,
  type Role,
} from "@wharf/contract";
import type { Mutation } from "../engine/mutation.ts";
import { Resource } from "../engine/resource.ts";
import { WharfError } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { boundRoles } from "../store/tables/identity-bindings.ts";
import { deleteAccount, deletePasskeys } from "../store/tables/local-accounts.ts";
import { deleteMemberships, deleteSignIns } from "../store/tables/provider-people.ts";
import { endSessions } from "../store/tables/sessions.ts";
import { mustHoldRole } from "./granting.ts";
import { deleteBindings, deleteIdentity, rejectBuiltIn } from "./identity-deletion.ts";
import { checkRelationship } from "./relationship.ts";

/** Identities: who a token can speak for. */
export const identities: Resource<Identity> = new Resource({
  service: IdentitiesService,
  schema: IdentitySchema,
  table: "identities",
  changesAccess: true,
  index: {
    filters: [
      { field: "name", column: "name", type: "common" },
      {
        field: "relationshipType",
        column: "relationship_type",
        type: "integer",
        of: relationshipType,
      },
    ],
  },
  hooks: {
    async beforeCreate(change, created) {
      await checkRelationship(created, change.call.time);
      created.lastSeenTime = created.createTime;
    },
    beforeUpdate,
    async beforeDelete(change, deleted) {
      rejectBuiltIn(deleted.uid);
      await deleteBindings(change, deleted.uid);
      await endSessions(change.tx, { identity: deleted.uid });
      await deleteSignIns(change.tx, deleted.uid);
      await deleteMemberships(change.tx, { identity: deleted.uid });
      await deleteAccount(change.tx, deleted.uid);
      await deletePasskeys(change.tx, deleted.uid);
    },
  },
  methods: (engine) => [
    [IdentitiesService.method.deleteIdentity, deleteIdentity(engine)],
    [IdentitiesService.method.lookupIdentity, lookup],
  ],
});

const TYPE_OF = {
  claimMatch: RelationshipType.CLAIM_MATCH,
  staticKeys: RelationshipType.STATIC,
  awsIdentity: RelationshipType.AWS_IDENTITY,
  servicePrincipal: RelationshipType.SERVICE_PRINCIPAL,
} as const;

function relationshipType({ relationship }: Identity): number {
  return relationship.case === undefined
    ? RelationshipType.UNSPECIFIED
    : TYPE_OF[relationship.case];
}

/**
 * Whoever changes what an identity asks for can make it match a token of their own. So that takes
 * everything the identity holds, wherever it holds it.
 */
async function beforeUpdate(change: Mutation, before: Identity, after: Identity): Promise<void> {
  rejectBuiltIn(before.uid);
  if (sameRelationship(before, after)) return;
  await checkRelationship(after, change.call.time);
  const { engine, tx } = change;
  for await (const bound of boundRoles(tx, after.uid)) {
    const roles = await engine.catalog.roles.findMany(
      tx,
      bound.map(([, role]) => role),
    );
    for (const [group, uid] of bound) {
      const role = roles.get(uid);
      if (role !== undefined) mustHoldBinding(change, role, group);
    }
  }
}

/** Names the group and the missing capabilities only to callers who may read the binding. */
function mustHoldBinding(change: Mutation, role: Role, group: string): void {
  const { grants } = change.caller;
  if (grants.holds(CapabilitySet.of(...role.capabilities), group)) return;
  if (grants.holds(READ_BINDINGS, group)) mustHoldRole(change, role, group);
  throw new WharfError("PERMISSION_DENIED", "needs everything that the identity holds");
}

const READ_BINDINGS = [Capability.CAP_IAM_ROLE_BINDINGS_LIST];

function sameRelationship({ relationship: a }: Identity, { relationship: b }: Identity): boolean {
  const of = (relationship: Identity["relationship"]) => create(IdentitySchema, { relationship });
  return equals(IdentitySchema, of(a), of(b));
}

/** Answers for identities that do not exist yet, too, so that their uid can be known beforehand. */
const lookup: Handler = async (_call, request) => {
  const { issuer, subject } = request as LookupIdentityRequest;
  const response = create(LookupIdentityResponseSchema, {
    uid: literalIdentityUid(issuer, subject),
  });
  return messageReply(LookupIdentityResponseSchema, response);
};
