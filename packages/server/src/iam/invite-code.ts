import { hash, randomBytes } from "node:crypto";

/**
 * A new invite code: base64url of a JSON object with the group, which existing clients read, and a random
 * secret.
 */
export function newInviteCode(group: string): string {
  const secret = randomBytes(32).toString("base64url");
  return Buffer.from(JSON.stringify({ grp: group, key: secret })).toString("base64url");
}

/** The hash of a code, which is stored in its place and looked up by. */
export function keyIdOf(code: string): string {
  return hash("sha256", code, "hex");
}
