import { timingSafeEqual } from "node:crypto";
import { readBearer } from "../lib/bearer.ts";
import type { Store } from "../store/db/store.ts";
import { readScimCredentials } from "../store/tables/scim/credentials.ts";
import { ScimError } from "./protocol/errors.ts";
import { isPast, scimTokenHash } from "./status.ts";

/**
 * Rejects a request unless it has a valid token of this identity provider and provisioning is
 * enabled. An unknown provider is indistinguishable from a wrong token.
 */
export async function authenticate(
  store: Store,
  provider: string,
  authorization: string | undefined,
  now: number,
): Promise<void> {
  const token = readBearer(authorization);
  if (token === undefined) throw unknown("Bearer");
  const credentials = await readScimCredentials(store.reader, provider);
  const presented = Buffer.from(scimTokenHash(token));
  const isValid = (hash: string, expires: number | null) =>
    hash !== "" && timingSafeEqual(Buffer.from(hash), presented) && !isPast(expires, now);
  const { token_hash, token_expires, previous_hash, previous_expires, revoked } = credentials;
  const known =
    revoked === null &&
    (isValid(token_hash, token_expires) || isValid(previous_hash, previous_expires));
  if (!known) throw unknown('Bearer error="invalid_token"');
  if (credentials.enabled !== 1) throw new ScimError(403, "provisioning is disabled");
}

function unknown(challenge: string): ScimError {
  const text = "a token for provisioning by this identity provider is required";
  return new ScimError(401, text, { "www-authenticate": challenge });
}
