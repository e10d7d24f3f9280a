import { timingSafeEqual } from "node:crypto";
import type { Engine } from "../engine/engine.ts";
import { readScimCredentials } from "../store/tables/scim-credentials.ts";
import { ScimError } from "./protocol/errors.ts";
import { isPast, scimTokenHash } from "./status.ts";

/**
 * Refuses a request unless it brings a token of this identity provider that is good, and provisioning
 * is switched on. A provider that does not exist looks like a wrong token.
 */
export async function authenticate(
  engine: Engine,
  provider: string,
  authorization: string | undefined,
  now: number,
): Promise<void> {
  const [scheme, token] = (authorization ?? "").split(" ");
  if (scheme?.toLowerCase() !== "bearer" || !token) throw unknown("Bearer");
  const credentials = await readScimCredentials(engine.store.reader, provider);
  const presented = Buffer.from(scimTokenHash(token));
  const isGood = (hash: string, expires: number | null) =>
    hash !== "" && timingSafeEqual(Buffer.from(hash), presented) && !isPast(expires, now);
  const { token_hash, token_expires, previous_hash, previous_expires, revoked } = credentials;
  const known =
    revoked === null &&
    (isGood(token_hash, token_expires) || isGood(previous_hash, previous_expires));
  if (!known) throw unknown('Bearer error="invalid_token"');
  if (credentials.enabled !== 1) throw new ScimError(403, "provisioning is switched off");
}

function unknown(challenge: string): ScimError {
  const text = "a token for provisioning by this identity provider is required";
  return new ScimError(401, text, { "www-authenticate": challenge });
}
