import { create } from "@bufbuild/protobuf";
import {
  type Identity,
  Identity_AWSIdentitySchema,
  Identity_ClaimMatchSchema,
  Identity_StaticKeysSchema,
} from "@wharf/contract";
import { identitiesV1 } from "@wharf/contract/v1";

/**
 * How an identity proves itself, told in the words of either version. Which of a choice is set is
 * kept exactly: an issuer stays an issuer, and a pattern a pattern.
 */
type RelationshipV1 = identitiesV1.Identity["relationship"];
type RelationshipV2 = Identity["relationship"];

/**
 * @example relationshipV2({ case: "static", value: keys }).case // "staticKeys"
 */
export function relationshipV2(given: RelationshipV1): RelationshipV2 {
  switch (given.case) {
    case "claimMatch": {
      const value = create(Identity_ClaimMatchSchema, fields(given.value));
      return { case: "claimMatch", value };
    }
    case "static": {
      const { expiration, ...same } = fields(given.value);
      const until = expiration && { expirationTime: expiration };
      const value = create(Identity_StaticKeysSchema, { ...same, ...until });
      return { case: "staticKeys", value };
    }
    case "awsIdentity": {
      const value = create(Identity_AWSIdentitySchema, fields(given.value));
      return { case: "awsIdentity", value };
    }
    case "servicePrincipal":
      // Services have the same numbers in both versions.
      return { case: "servicePrincipal", value: given.value as number };
    default:
      return given;
  }
}

/**
 * @example relationshipV1({ case: "staticKeys", value: keys }).case // "static"
 */
export function relationshipV1(kept: RelationshipV2): RelationshipV1 {
  switch (kept.case) {
    case "claimMatch": {
      const value = create(identitiesV1.Identity_ClaimMatchSchema, fields(kept.value));
      return { case: "claimMatch", value };
    }
    case "staticKeys": {
      const { expirationTime, ...same } = fields(kept.value);
      const until = expirationTime && { expiration: expirationTime };
      const value = create(identitiesV1.Identity_StaticKeysSchema, { ...same, ...until });
      return { case: "static", value };
    }
    case "awsIdentity": {
      const value = create(identitiesV1.Identity_AWSIdentitySchema, fields(kept.value));
      return { case: "awsIdentity", value };
    }
    case "servicePrincipal":
      return { case: "servicePrincipal", value: kept.value as number };
    default:
      return kept;
  }
}

/** What a message says, without which message it is. */
function fields<M extends { $typeName: string; $unknown?: unknown }>(
  message: M,
): Omit<M, "$typeName" | "$unknown"> {
  const { $typeName: _type, $unknown: _rest, ...said } = message;
  return said;
}
