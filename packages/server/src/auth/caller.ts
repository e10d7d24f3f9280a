import { ALL_CAPABILITIES, CapabilitySet, literalIdentityUid, OPERATOR_UID } from "@wharf/contract";
import { Grants } from "./grants.ts";

/** An authenticated or anonymous caller, and the caller's grants. */
export interface Caller {
  /** The uid of the caller's identity; empty for anonymous callers. */
  readonly uid: string;
  /** The name of the identity. */
  readonly name?: string;
  readonly grants: Grants;
  readonly isOperator: boolean;
  /** The access version of the grants; absent where they never change. */
  readonly version?: number;
  /** The session of the caller's token. */
  readonly session?: string;
  /** When the person of a browser session signed in; undefined for all other callers. */
  readonly signedIn?: number | undefined;
  /** The upper bound of the grants, if the caller's token is down-scoped. */
  readonly boundary?: Grants | undefined;
}

export { OPERATOR_UID };

/**
 * The identity of callers without credentials. Stored, so that roles can be bound to it, which makes a
 * group public. No token is ever issued for it.
 */
export const ANONYMOUS_UID = literalIdentityUid("wharf", "anyone");

export const OPERATOR: Caller = {
  uid: OPERATOR_UID,
  name: "operator",
  grants: Grants.everywhere(CapabilitySet.of(...ALL_CAPABILITIES)),
  isOperator: true,
};

export const ANONYMOUS: Caller = { uid: "", grants: Grants.NONE, isOperator: false };
