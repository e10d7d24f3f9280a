import { randomBytes } from "node:crypto";
import type { Secrets } from "../../secrets/secrets.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";

/** Secrets of subscriptions, which sign deliveries by HMAC (Standard Webhooks). During a rotation there are two. */

const CURRENT = "webhook-secret";
const PREVIOUS = "webhook-secret-previous";

const SECRET_BYTES = 32;

/** The prefix of secrets, by which libraries recognize them. */
const PREFIX = "whsec_";

interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/** Replaces the secret of a subscription. The former one stays valid until a time. */
export async function rotateSecret(
  secrets: Secrets,
  tx: Transaction,
  uid: string,
  until: number,
): Promise<string> {
  const former = await secrets.get(tx, uid, CURRENT);
  if (former !== undefined) {
    const previous: PreviousSecret = { secret: former, until };
    await secrets.put(tx, uid, PREVIOUS, JSON.stringify(previous));
  }
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64");
  await secrets.put(tx, uid, CURRENT, secret);
  return secret;
}

/** The keys that sign now, the current one first. */
export async function signingSecrets(
  secrets: Secrets,
  reader: Reader,
  uid: string,
  now: number,
): Promise<Buffer[]> {
  const current = await secrets.get(reader, uid, CURRENT);
  if (current === undefined) return [];
  const text = await secrets.get(reader, uid, PREVIOUS);
  const previous = text === undefined ? undefined : (JSON.parse(text) as PreviousSecret);
  const valid = previous !== undefined && previous.until > now ? [previous.secret] : [];
  return [current, ...valid].map((secret) => Buffer.from(secret.slice(PREFIX.length), "base64"));
}

export async function forgetSecrets(secrets: Secrets, tx: Transaction, uid: string): Promise<void> {
  await secrets.remove(tx, uid, CURRENT);
  await secrets.remove(tx, uid, PREVIOUS);
}
