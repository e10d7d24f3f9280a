import { isRoot, rootOf } from "@wharf/contract";
import { wideClientNetwork } from "../net/client-network.ts";
import type { Owner } from "./fair-order.ts";

/** The parts of a request that decide its share. */
export interface ShareHolder {
  readonly caller: { readonly uid: string; readonly isOperator?: boolean };
  /** The client's address, as trusted proxies report it. */
  readonly remoteAddress: string;
}

/**
 * The share of a caller in what all callers compete for: streams, expensive reads, searches, time slices. Identities are
 * free, so a share belongs to an organization and a client network, not to an identity.
 */
export interface Share {
  /** The organization of the caller's identity; empty for people and anonymous callers. */
  readonly organization: string;
  /** The client network; empty for the operator. */
  readonly network: string;
  /** The same for callers of the same share. */
  readonly key: string;
}

/** The operator has one share, from any network: nobody can crowd them out. */
const OPERATOR: Share = { organization: "operator", network: "", key: "operator" };

/**
 * The share of a request. Workloads belong to the organization of their identity. People belong to none: they may be
 * members of several, and an organization can sign in any number of them through a provider of its own. So their share is
 * that of their client network, together with anonymous callers.
 */
export function shareOf({ caller, remoteAddress }: ShareHolder): Share {
  if (caller.isOperator) return OPERATOR;
  const { uid } = caller;
  const organization = uid === "" || isRoot(uid) ? "" : rootOf(uid);
  const network = wideClientNetwork(remoteAddress);
  return { organization, network, key: `${organization} ${network}` };
}

/**
 * The owner of work on the event loop: organizations share it equally, then callers, then kinds of work, so that the
 * short requests of a caller do not wait for many long ones. Callers without an organization share that of their network.
 */
export function ownerOf(holder: ShareHolder, work = ""): Owner {
  const { organization, network } = shareOf(holder);
  return [organization || network, holder.caller.uid, work];
}
