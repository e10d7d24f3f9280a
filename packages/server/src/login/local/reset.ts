import { audit } from "../../engine/audit/audit.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import {
  addPasskey,
  deletePasskeys,
  findAccount,
  findAccountForChange,
  setPasswordHash,
} from "../../store/tables/login/local-accounts.ts";
import { endSessions } from "../../store/tables/login/sessions.ts";
import {
  addTicket,
  consumeTicket,
  deleteTicketsOf,
  readTicket,
} from "../../store/tables/login/tickets.ts";
import { newOperatorCode, readUserCode } from "../oauth/user-code.ts";
import type { Credential } from "./accounts.ts";
import { passkeyRejected } from "./passkeys.ts";
import { normalizeUsername } from "./rules.ts";

/** The page for reset codes. */
export const RESET_PATH = "/reset";

const PURPOSE = "reset";
const CODE_TTL_MS = 24 * 3_600_000;

/** The account of a reset code. */
interface Reset {
  readonly identity: string;
  readonly username: string;
}

/**
 * Creates a code for setting a new password or passkey, and invalidates earlier codes. Undefined if
 * there is no such account.
 */
export async function createResetCode(
  store: Store,
  typed: string,
  now: number,
): Promise<string | undefined> {
  const username = normalizeUsername(typed);
  const account = username && (await findAccount(store.reader, username));
  if (!account) return undefined;
  const code = newOperatorCode();
  const payload: Reset = { identity: account.identity, username: account.username };
  await store.write(async (tx) => {
    const { identity } = account;
    await deleteTicketsOf(tx, identity, { purpose: PURPOSE });
    const ticket = { purpose: PURPOSE, secret: code, payload, identity };
    await addTicket(tx, { ...ticket, expires: now + CODE_TTL_MS });
  });
  return code;
}

/** The account of a code, without redeeming it. */
export async function findResetCode(reader: Reader, typed: string, now: number): Promise<Reset> {
  const found = await readTicket<Reset>(reader, PURPOSE, readUserCode(typed), now);
  if (found === undefined) throw wrongCode();
  return found;
}

function wrongCode(): WharfError {
  const text = "the code is wrong, was already used, or has expired";
  return new WharfError("INVALID_ARGUMENT", text);
}

/** Replaces all credentials of an account and ends its sessions. */
export async function resetAccount(
  store: Store,
  call: Call,
  typed: string,
  credential: Credential,
): Promise<void> {
  await store.write(async (tx) => {
    const reset = await consumeTicket<Reset>(tx, PURPOSE, readUserCode(typed), call.time);
    const account = reset && (await findAccountForChange(tx, reset.identity));
    if (account === undefined) throw wrongCode();
    const { identity } = account;
    await replaceCredential(tx, identity, credential);
    // Includes sign-ins that are in progress.
    await deleteTicketsOf(tx, identity);
    const sessions = await endSessions(tx, { identity });
    const action = "account reset";
    await audit(tx, call, { action, resource: identity, actor: identity, detail: { sessions } });
  });
}

async function replaceCredential(
  tx: Transaction,
  identity: string,
  credential: Credential,
): Promise<void> {
  await deletePasskeys(tx, identity);
  await setPasswordHash(tx, identity, "passwordHash" in credential ? credential.passwordHash : "");
  if ("passkey" in credential && !(await addPasskey(tx, credential.passkey)))
    throw passkeyRejected();
}
