/**
 * UIDs are paths in the tree: a root has 40 lower-case hexadecimal characters, and each level adds a slash and 16 more.
 * The UIDs of ancestors are prefixes.
 *
 * Functions that take a string expect a valid UID and do not validate it: use isUid on input.
 */

/** Loaded on demand: for commands that only compare UIDs, it would take longer than they do. */
const crypto = () => process.getBuiltinModule("node:crypto");

const ROOT_LENGTH = 40;
const STEP_LENGTH = 1 + 16;
const PATTERN = /^[0-9a-f]{40}(?:\/[0-9a-f]{16})*$/;

/**
 * The operator of the installation, who is not stored: access to the signing keys makes the operator. Equal to
 * `literalIdentityUid("wharf", "operator")`, without loading what computes it.
 */
export const OPERATOR_UID = "f5547917312ba9948224a9479d300a77530ee2a2";

/** @example if (!isUid(request.uid)) throw invalidArgument(…); */
export function isUid(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * A new UID of a root: an organization.
 *
 * @example newRootUid() // "d1c8b3…", 20 random bytes
 */
export function newRootUid(): string {
  return randomHex(20);
}

/**
 * A new UID directly below another.
 *
 * @example newChildUid(group) // `${group}/5f0c6e2b9a417d38`, 8 random bytes
 */
export function newChildUid(parent: string): string {
  return `${parent}/${randomHex(8)}`;
}

/** Random bytes are generated in batches: a few cost as much as many. */
const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

function randomHex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    crypto().randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}

/**
 * The number of ancestors.
 *
 * @example depthOf(`${org}/${folder}`) // 1
 */
export function depthOf(uid: string): number {
  return (uid.length - ROOT_LENGTH) / STEP_LENGTH;
}

/**
 * The UID of the parent; the empty string for a root, as in an empty `parent` field. (Clients of the public API write
 * "/".)
 *
 * @example parentOf(`${org}/${folder}`) // org
 */
export function parentOf(uid: string): string {
  return isRoot(uid) ? "" : uid.slice(0, -STEP_LENGTH);
}

/**
 * The UID of the root: the organization.
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
 * The UIDs of all ancestors, nearest first.
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
 * Whether a UID is the other one or a descendant of it.
 *
 * @example isSelfOrBelow(repo, org) // true
 */
export function isSelfOrBelow(uid: string, ancestor: string): boolean {
  return (
    uid.startsWith(ancestor) && (uid.length === ancestor.length || uid[ancestor.length] === "/")
  );
}

/**
 * The exclusive end of the key range of a UID and its descendants: "0" is the character after "/". The range starts at
 * the UID, or at `${uid}/` for descendants only.
 *
 * @example where uid >= group and uid < subtreeEnd(group)
 */
export function subtreeEnd(uid: string): string {
  return `${uid}0`;
}

/**
 * The UID of a person, derived from issuer and subject, so that it is known before they first sign in. The pair is hashed
 * as JSON, which is unambiguous.
 *
 * @example literalIdentityUid("https://accounts.google.com", "1234567890")
 */
export function literalIdentityUid(issuer: string, subject: string): string {
  const pair = JSON.stringify([issuer, subject]);
  return crypto().createHash("sha256").update(pair).digest("hex").slice(0, ROOT_LENGTH);
}
