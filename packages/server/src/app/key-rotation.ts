import { randomUUID } from "node:crypto";
import { OPERATOR_UID } from "../auth/caller.ts";
import { SigningKeys } from "../auth/keys.ts";
import { newSigningKey } from "../auth/new-key.ts";
import { newRegistryKeys, RegistryKeys } from "../registry/access/keys.ts";
import { InstallationSecrets } from "../secrets/installation-secrets.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Store } from "../store/db/store.ts";
import { writeAudit } from "../store/tables/audit/audit-and-events.ts";
import { hasCurrentKey, newestKeyTime } from "../store/tables/keys.ts";
import { endAllSessions } from "../store/tables/login/sessions.ts";
import { deleteAllTickets } from "../store/tables/login/tickets.ts";

/**
 * Scope of a rotation, and the time until old keys are rejected. `overlap`: when their last token has
 * expired. `now`: immediately. `all`: immediately, and with them every secret of the installation, every
 * session and every sign-in in progress.
 */
export type RotationMode = "overlap" | "now" | "all";

export interface Rotation {
  readonly mode: RotationMode;
  /** The id of the new signing key for ES256. */
  readonly kid: string;
  /** The id of the new signing key for RS256, if the installation signs with it. */
  readonly rs256Kid?: string;
  /** Whether there were registry keys, which are replaced too. */
  readonly registryKeys: boolean;
  readonly sessionsEnded: number;
}

/** Runs first, in the transaction of the rotation. */
type Before = (tx: Transaction) => Promise<void>;

/**
 * Replaces the keys of an installation in one transaction, with an audit entry. Every replica uses the
 * new keys on its next request.
 */
export async function rotateKeys(
  store: Store,
  secrets: Secrets,
  mode: RotationMode,
  before: Before = async () => {},
): Promise<Rotation> {
  const time = Date.now();
  const key = await newSigningKey(time);
  const rs256 = (await hasCurrentKey(store.reader, "RS256"))
    ? [await newSigningKey(time, "RS256")]
    : [];
  const forRegistries = await newRegistryKeys(time);
  return store.write(async (tx) => {
    await tx.acquireLock();
    const hadRegistryKeys = await RegistryKeys.exist(tx);
    await before(tx);
    if (hadRegistryKeys && mode === "overlap")
      await RegistryKeys.rotate(tx, secrets, forRegistries);
    else if (hadRegistryKeys) await RegistryKeys.replace(tx, secrets, forRegistries);
    const others = mode === "overlap" ? "overlap" : "drop";
    await SigningKeys.rotate(tx, secrets, [key, ...rs256], others);
    const sessionsEnded = mode === "all" ? await dropAll(tx, secrets) : 0;
    const rotation = {
      mode,
      kid: key.kid,
      ...(rs256[0] && { rs256Kid: rs256[0].kid }),
      registryKeys: hadRegistryKeys,
      sessionsEnded,
    };
    auditOperator(tx, "keys rotate", rotation, time);
    return rotation;
  });
}

/**
 * Rotates the signing keys once they have reached an age, with overlap, on one of several replicas. Registry keys stay:
 * registries need a new file for them. Returns the id of the new key for ES256.
 */
export async function rotateIfOlder(
  store: Store,
  secrets: Secrets,
  maxAgeMs: number,
  time: number = Date.now(),
): Promise<string | undefined> {
  const isDue = async (reader: Reader) => {
    const created = await newestKeyTime(reader);
    return created !== undefined && created <= time - maxAgeMs;
  };
  if (!(await isDue(store.reader))) return undefined;
  return replaceTokenKeys(store, secrets, time, {
    isDue,
    record: (tx, kid) =>
      auditOperator(tx, "keys rotate", { mode: "overlap", kid, isAutomatic: true }, time),
  });
}

export interface TokenKeyReplacement {
  /** Whether the keys are to be replaced; asked in the transaction. */
  isDue(tx: Transaction): Promise<boolean>;
  /** Records the rotation in the same transaction. */
  record(tx: Transaction, kid: string): void;
}

/** Replaces the keys that sign tokens, with overlap. Returns the id of the new key for ES256, if they were replaced. */
export async function replaceTokenKeys(
  store: Store,
  secrets: Secrets,
  time: number,
  { isDue, record }: TokenKeyReplacement,
): Promise<string | undefined> {
  const key = await newSigningKey(time);
  const rs256 = (await hasCurrentKey(store.reader, "RS256"))
    ? [await newSigningKey(time, "RS256")]
    : [];
  return store.write(async (tx) => {
    await tx.acquireLock();
    if (!(await isDue(tx))) return undefined;
    await SigningKeys.rotate(tx, secrets, [key, ...rs256], "overlap");
    record(tx, key.kid);
    return key.kid;
  });
}

async function dropAll(tx: Transaction, secrets: Secrets): Promise<number> {
  await InstallationSecrets.rotate(tx, secrets);
  await deleteAllTickets(tx);
  return endAllSessions(tx);
}

/** Writes the audit entry of an admin command. */
export function auditOperator(tx: Transaction, action: string, detail: object, time: number): void {
  writeAudit(tx, {
    time,
    actor: OPERATOR_UID,
    method: action,
    resource: "",
    requestId: randomUUID(),
    remoteAddress: "",
    userAgent: "wharf admin",
    code: 0,
    detail: JSON.stringify(detail),
    actorName: "operator",
    via: "system",
  });
}
