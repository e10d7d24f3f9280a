import { audit } from "../../engine/audit/audit.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  accountOf,
  findAccountForChange,
  type LocalAccount,
  setPasswordHash,
} from "../../store/tables/login/local-accounts.ts";
import { endSessions } from "../../store/tables/login/sessions.ts";
import { deleteTicketsOf } from "../../store/tables/login/tickets.ts";
import { openConsoleSession } from "../console/session.ts";
import { personOf } from "../local/accounts.ts";
import { withPassword } from "../local/password-login.ts";
import { checkPassword } from "../local/rules.ts";
import type { LoginDeps } from "../login.ts";
import { type AccountSession, lockAccountSession, noLocalAccount } from "./account-session.ts";

/** The input of a password change. */
export interface NewPassword {
  /** The current password; ignored if the account has none. */
  readonly current: string;
  readonly password: string;
  readonly again: string;
}

/**
 * Sets or changes the password of an account and ends all its sessions. Changing it takes the
 * current password; failures count as they do at sign-in. Returns the header that sets the cookie of
 * a new session.
 */
export async function changePassword(
  deps: LoginDeps,
  call: Call,
  session: AccountSession,
  { current, password, again }: NewPassword,
): Promise<Record<string, string>> {
  const { store, passwords } = deps;
  const found = await accountOf(store.reader, session.identity);
  if (found === undefined) throw noLocalAccount();
  checkPassword(password, again, [found.username]);
  const hash = await passwords.hash(password, call.remoteAddress);
  if (found.passwordHash === "") {
    return store.write(async (tx) => {
      const account = await findAccountForChange(tx, session.identity);
      if (account?.passwordHash !== "") throw wrongPassword();
      return setPassword(deps, tx, call, session, account, hash);
    });
  }
  const failureAction = "password change refused";
  const attempt = { found, password: current, failureAction, isSignedIn: true };
  const headers = await withPassword(deps, call, attempt, (tx, account) =>
    setPassword(deps, tx, call, session, account, hash),
  );
  if (headers === undefined) throw wrongPassword();
  return headers;
}

/**
 * Ends all sessions, the one of this browser included: someone else may have signed in with the old
 * password, or have copied its cookie. The browser gets a new one, whose sign-in is no more recent.
 */
async function setPassword(
  deps: LoginDeps,
  tx: Transaction,
  call: Call,
  session: AccountSession,
  account: LocalAccount,
  hash: string,
): Promise<Record<string, string>> {
  const { identity, signedIn } = session;
  await lockAccountSession(tx, session, call.time);
  await setPasswordHash(tx, identity, hash);
  const sessions = await endSessions(tx, { identity });
  await deleteTicketsOf(tx, identity);
  const action = "password changed";
  await audit(tx, call, { action, resource: identity, actor: identity, detail: { sessions } });
  const person = personOf(deps.addresses().authUrl, account, signedIn);
  return openConsoleSession(deps, tx, call, person);
}

function wrongPassword(): Error {
  const description =
    "your current password is wrong, or there were too many attempts: wait a while before you try again";
  return invalidArgument({ field: "current", description });
}
