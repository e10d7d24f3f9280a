import { hash, randomBytes } from "node:crypto";

/**
 * A new code for an invite: base64 of a JSON object that names the group, as existing clients know
 * it, and a secret that nobody can guess.
 */
export function newInviteCode(group: string): string {
  const secret = randomBytes(32).toString("base64url");
  return Buffer.from(JSON.stringify({ grp: group, key: secret })).toString("base64url");
}

/** What is kept of a code, and what it is found by. Tells nothing of the code itself. */
export function keyIdOf(code: string): string {
  return hash("sha256", code, "hex");
}
