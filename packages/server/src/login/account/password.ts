import { audit } from "../../engine/audit/audit.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  accountOf,
  findAccountForChange,
  setPasswordHash,
} from "../../store/tables/login/local-accounts.ts";
import { endSessions } from "../../store/tables/login/sessions.ts";
import { deleteTicketsOf } from "../../store/tables/login/tickets.ts";
import { withPassword } from "../local/password-login.ts";
import { checkPassword } from "../local/rules.ts";
import type { LoginDeps } from "../login.ts";
import { noLocalAccount } from "./passkeys.ts";
import { confirmVisit, type OpenVisit, restoreVisit } from "./visit.ts";

/** The input of a password change. */
export interface NewPassword {
  /** The current password; ignored if the account has none. */
  readonly current: string;
  readonly password: string;
  readonly again: string;
}

/**
 * Sets or changes the password of an account and ends all its sessions. Changing it takes the
 * current password; failures count as they do at sign-in.
 */
export async function changePassword(
  deps: LoginDeps,
  call: Call,
  visit: OpenVisit,
  { current, password, again }: NewPassword,
): Promise<void> {
  const { store, passwords } = deps;
  const found = await accountOf(store.reader, visit.identity);
  if (found === undefined) throw noLocalAccount();
  checkPassword(password, again, [found.username]);
  const hash = await passwords.hash(password, call.remoteAddress);
  if (found.passwordHash === "") {
    return store.write(async (tx) => {
      const account = await findAccountForChange(tx, visit.identity);
      if (account?.passwordHash !== "") throw wrongPassword();
      await setPassword(tx, call, visit, hash);
    });
  }
  const failureAction = "password change refused";
  const attempt = { found, password: current, failureAction, isSignedIn: true };
  const changed = await withPassword(deps, call, attempt, async (tx) => {
    await setPassword(tx, call, visit, hash);
    return true;
  });
  if (changed === undefined) throw wrongPassword();
}

/** Ends all sessions: someone else may have signed in with the old password. */
async function setPassword(
  tx: Transaction,
  call: Call,
  visit: OpenVisit,
  hash: string,
): Promise<void> {
  const { identity } = visit;
  await confirmVisit(tx, visit, call.time);
  await setPasswordHash(tx, identity, hash);
  const sessions = await endSessions(tx, { identity });
  await deleteTicketsOf(tx, identity);
  await restoreVisit(tx, visit);
  const action = "password changed";
  await audit(tx, call, { action, resource: identity, actor: identity, detail: { sessions } });
}

function wrongPassword(): Error {
  const description =
    "your current password is wrong, or there were too many attempts: wait a while before you try again";
  return invalidArgument({ field: "current", description });
}
