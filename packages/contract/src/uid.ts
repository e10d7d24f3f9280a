/**
 * Uids are paths in the tree: a root is 40 lower-case hexadecimal characters, and each step down
 * adds a slash and 16 more. Ancestors are prefixes, so where a thing is can be read from its name.
 *
 * What takes a string here expects a uid and does not look again: check with isUid at the edge.
 */
import { createHash, randomFillSync } from "node:crypto";

const ROOT_LENGTH = 40;
const STEP_LENGTH = 1 + 16;
const PATTERN = /^[0-9a-f]{40}(?:\/[0-9a-f]{16})*$/;

/** @example if (!isUid(request.uid)) throw invalidArgument(…); */
export function isUid(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * A new uid for something that is below nothing: an organisation.
 *
 * @example newRootUid() // "d1c8b3…", 20 random bytes
 */
export function newRootUid(): string {
  return randomHex(20);
}

/**
 * A new uid directly below another.
 *
 * @example newChildUid(group) // `${group}/5f0c6e2b9a417d38`, 8 random bytes
 */
export function newChildUid(parent: string): string {
  return `${parent}/${randomHex(8)}`;
}

/** Random bytes are fetched for many uids at a time: asking for a few costs as much as for many. */
const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

function randomHex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}

/**
 * How many uids are above this one.
 *
 * @example depthOf(`${org}/${folder}`) // 1
 */
export function depthOf(uid: string): number {
  return (uid.length - ROOT_LENGTH) / STEP_LENGTH;
}

/**
 * The uid directly above, or the empty string for a root. (Clients of the public API write the
 * parent of a root as "/"; here it is empty, as an empty `parent` field is.)
 *
 * @example parentOf(`${org}/${folder}`) // org
 */
export function parentOf(uid: string): string {
  return isRoot(uid) ? "" : uid.slice(0, -STEP_LENGTH);
}

/**
 * The uid at the top of the path: the organisation, or the uid itself.
 *
 * @example rootOf(`${org}/${folder}/${repo}`) // org
 */
export function rootOf(uid: string): string {
  return uid.slice(0, ROOT_LENGTH);
}

/** @example isRoot(rootOf(uid)) // true */
export function isRoot(uid: string): boolean {
  return uid.length === ROOT_LENGTH;
}

/**
 * Everything above, nearest first.
 *
 * @example ancestorsOf(`${org}/${folder}/${repo}`) // [`${org}/${folder}`, org]
 */
export function ancestorsOf(uid: string): string[] {
  const ancestors: string[] = [];
  for (let end = uid.length - STEP_LENGTH; end >= ROOT_LENGTH; end -= STEP_LENGTH) {
    ancestors.push(uid.slice(0, end));
  }
  return ancestors;
}

/**
 * Whether a uid is the other one or anywhere below it.
 *
 * @example isSelfOrBelow(repo, org) // true
 */
export function isSelfOrBelow(uid: string, ancestor: string): boolean {
  return (
    uid.startsWith(ancestor) && (uid.length === ancestor.length || uid[ancestor.length] === "/")
  );
}

/**
 * The end, itself excluded, of the key range that holds a uid and everything below it: "0" is the
 * character after "/". Begin at the uid for both, at `${uid}/` for what is below alone.
 *
 * @example where uid >= group and uid < subtreeEnd(group)
 */
export function subtreeEnd(uid: string): string {
  return `${uid}0`;
}

/**
 * The uid of a person, made from who their identity provider says they are, so that it is known
 * before they first log in. The pair is written as JSON first: no two pairs read the same.
 *
 * @example literalIdentityUid("https://accounts.google.com", "1234567890")
 */
export function literalIdentityUid(issuer: string, subject: string): string {
  const pair = JSON.stringify([issuer, subject]);
  return createHash("sha256").update(pair).digest("hex").slice(0, ROOT_LENGTH);
}
