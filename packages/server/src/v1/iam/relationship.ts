import { create } from "@bufbuild/protobuf";
import {
  type Identity,
  Identity_AWSIdentitySchema,
  Identity_ClaimMatchSchema,
  Identity_StaticKeysSchema,
} from "@wharf/contract";
import { identitiesV1 } from "@wharf/contract/v1";

/**
 * The authentication method of an identity, in both versions. The translation keeps the case of every oneof: an issuer
 * stays an issuer, an issuer pattern a pattern.
 */
type RelationshipV1 = identitiesV1.Identity["relationship"];
type RelationshipV2 = Identity["relationship"];

export function relationshipV2(relationship: RelationshipV1): RelationshipV2 {
  switch (relationship.case) {
    case "claimMatch": {
      const value = create(Identity_ClaimMatchSchema, fields(relationship.value));
      return { case: "claimMatch", value };
    }
    case "static": {
      const { expiration, ...same } = fields(relationship.value);
      const until = expiration && { expirationTime: expiration };
      const value = create(Identity_StaticKeysSchema, { ...same, ...until });
      return { case: "staticKeys", value };
    }
    case "awsIdentity": {
      const value = create(Identity_AWSIdentitySchema, fields(relationship.value));
      return { case: "awsIdentity", value };
    }
    case "servicePrincipal":
      // Services have the same numbers in both versions.
      return { case: "servicePrincipal", value: relationship.value as number };
    default:
      return relationship;
  }
}

export function relationshipV1(stored: RelationshipV2): RelationshipV1 {
  switch (stored.case) {
    case "claimMatch": {
      const value = create(identitiesV1.Identity_ClaimMatchSchema, fields(stored.value));
      return { case: "claimMatch", value };
    }
    case "staticKeys": {
      const { expirationTime, ...same } = fields(stored.value);
      const until = expirationTime && { expiration: expirationTime };
      const value = create(identitiesV1.Identity_StaticKeysSchema, { ...same, ...until });
      return { case: "static", value };
    }
    case "awsIdentity": {
      const value = create(identitiesV1.Identity_AWSIdentitySchema, fields(stored.value));
      return { case: "awsIdentity", value };
    }
    case "servicePrincipal":
      return { case: "servicePrincipal", value: stored.value as number };
    default:
      return stored;
  }
}

/** The fields of a message without its type name and unknown fields. */
function fields<M extends { $typeName: string; $unknown?: unknown }>(
  message: M,
): Omit<M, "$typeName" | "$unknown"> {
  const { $typeName: _type, $unknown: _rest, ...known } = message;
  return known;
}
