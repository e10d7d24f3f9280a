import { ALL_CAPABILITIES, CapabilitySet, literalIdentityUid } from "@wharf/contract";
import { Grants } from "./grants.ts";

/** Who is calling, and what they hold. */
export interface Caller {
  /** The uid of the caller's identity; empty when nobody is known to be calling. */
  readonly uid: string;
  readonly grants: Grants;
  readonly isOperator: boolean;
  /** The access version that the grants were looked up at; absent where they never change. */
  readonly version?: number;
  /** The session that the caller's token belongs to. */
  readonly session?: string;
  /** Where the caller's token is narrower than its identity. */
  readonly boundary?: Grants | undefined;
}

/** Whoever runs the installation. Not stored: the right to sign tokens makes the operator. */
export const OPERATOR_UID = literalIdentityUid("wharf", "operator");

/**
 * Whoever comes without credentials. Stored, so that roles can be bound to it, which is how a group is
 * made public; but nobody logs in as everybody: there is no token of it.
 */
export const ANONYMOUS_UID = literalIdentityUid("wharf", "anyone");

export const OPERATOR: Caller = {
  uid: OPERATOR_UID,
  grants: Grants.everywhere(CapabilitySet.of(...ALL_CAPABILITIES)),
  isOperator: true,
};

export const ANONYMOUS: Caller = { uid: "", grants: Grants.NONE, isOperator: false };
