import { create, equals } from "@bufbuild/protobuf";
import {
  Capability,
  CapabilitySet,
  IdentitiesService,
  type Identity,
  IdentityMetadataSchema,
  IdentitySchema,
  isRoot,
  type LookupIdentityRequest,
  LookupIdentityResponseSchema,
  literalIdentityUid,
  RelationshipType,
  type Role,
} from "@wharf/contract";
import { isLastingWorkload } from "../auth/lasting-sign-in.ts";
import { requireRecentSignIn } from "../auth/recent-sign-in.ts";
import { Resource } from "../engine/resource.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { WharfError } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { boundRoles } from "../store/tables/access/identity-bindings.ts";
import { deleteAccount, deletePasskeys } from "../store/tables/login/local-accounts.ts";
import { deleteMemberships, deleteSignIns } from "../store/tables/login/provider-people.ts";
import { endSessions } from "../store/tables/login/sessions.ts";
import { mustHoldRole } from "./granting.ts";
import { deleteBindings, deleteIdentity, rejectBuiltIn } from "./identity-deletion.ts";
import { checkIdentityRemoval } from "./owners.ts";
import { checkRelationship } from "./relationship.ts";
import { checkIdentityIsUnique } from "./unique-siblings.ts";

/** Identities: the subjects that tokens authenticate. */
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
    async beforeCreate(mutation, created) {
      await checkRelationship(created, mutation.call.time);
      await checkIdentityIsUnique(mutation, created);
      created.lastSeenTime = created.createTime;
    },
    beforeUpdate,
    async beforeDelete(mutation, deleted) {
      rejectBuiltIn(deleted.uid);
      await deleteBindings(mutation, deleted.uid);
      await endSessions(mutation.tx, { identity: deleted.uid });
      await deleteSignIns(mutation.tx, deleted.uid);
      await deleteMemberships(mutation.tx, { identity: deleted.uid });
      await deleteAccount(mutation.tx, deleted.uid);
      await deletePasskeys(mutation.tx, deleted.uid);
    },
  },
  methods: (deps) => [
    [IdentitiesService.method.deleteIdentity, deleteIdentity(deps)],
    [IdentitiesService.method.lookupIdentity, lookup],
    [IdentitiesService.method.updateIdentityMetadata, updateMetadata],
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
 * A caller who changes the relationship of an identity can make it match an own token. So that requires
 * every capability of the identity, at every scope, and a recent sign-in in the browser.
 */
async function beforeUpdate(mutation: Mutation, before: Identity, after: Identity): Promise<void> {
  rejectBuiltIn(before.uid);
  if (before.name !== after.name) await checkIdentityIsUnique(mutation, after);
  if (sameRelationship(before, after)) return;
  await checkRelationship(after, mutation.call.time);
  if (!isRoot(after.uid) && !isLastingWorkload(after))
    await checkIdentityRemoval(mutation, after.uid);
  const { deps, tx } = mutation;
  for await (const bound of boundRoles(tx, after.uid)) {
    const roles = await deps.catalog.roles.findMany(
      tx,
      bound.map(([, role]) => role),
    );
    for (const [group, uid] of bound) {
      const role = roles.get(uid);
      if (role !== undefined) mustHoldBinding(mutation, role, group);
    }
  }
  requireRecentSignIn(mutation.caller, mutation.call.time);
}

/** Names the group and the missing capabilities only to callers who may read the binding. */
function mustHoldBinding(mutation: Mutation, role: Role, group: string): void {
  const { grants } = mutation.caller;
  if (grants.holds(CapabilitySet.of(...role.capabilities), group)) return;
  if (grants.holds(READ_BINDINGS, group)) mustHoldRole(mutation, role, group);
  throw new WharfError("PERMISSION_DENIED", "needs every capability that the identity holds");
}

const READ_BINDINGS = [Capability.CAP_IAM_ROLE_BINDINGS_LIST];

function sameRelationship({ relationship: a }: Identity, { relationship: b }: Identity): boolean {
  const of = (relationship: Identity["relationship"]) => create(IdentitySchema, { relationship });
  return equals(IdentitySchema, of(a), of(b));
}

/** Also for identities that do not exist yet, so that clients can know their uid in advance. */
const lookup: Handler = async (_call, request) => {
  const { issuer, subject } = request as LookupIdentityRequest;
  const response = create(LookupIdentityResponseSchema, {
    uid: literalIdentityUid(issuer, subject),
  });
  return messageReply(LookupIdentityResponseSchema, response);
};

/** The rest of what clients of the public contract send is about newsletters and sales, and is not stored. */
const updateMetadata: Handler = async ({ caller: { uid, name = "" } }) =>
  messageReply(IdentityMetadataSchema, create(IdentityMetadataSchema, { uid, name }));
