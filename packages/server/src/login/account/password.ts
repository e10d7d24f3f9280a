import { audit } from "../../engine/audit.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import {
  accountOf,
  findAccountForChange,
  setPasswordHash,
} from "../../store/tables/local-accounts.ts";
import { endSessions } from "../../store/tables/sessions.ts";
import { dropTicketsOf } from "../../store/tables/tickets.ts";
import { withPassword } from "../local/password-login.ts";
import { checkPassword } from "../local/rules.ts";
import type { LoginDeps } from "../login.ts";
import { hasNoAccount } from "./passkeys.ts";
import { confirmVisit, goOn, type OpenVisit } from "./visit.ts";

/** What is typed to change a password. */
export interface NewPassword {
  /** The one they have; of no meaning where they have none. */
  readonly current: string;
  readonly password: string;
  readonly again: string;
}

/**
 * Gives an account another password, or its first, and ends all its sessions. Whoever has a password must know it:
 * wrong ones count as they do when signing in.
 */
export async function changePassword(
  deps: LoginDeps,
  call: Call,
  visit: OpenVisit,
  { current, password, again }: NewPassword,
): Promise<void> {
  const { engine, passwords } = deps;
  const found = await accountOf(engine.store.reader, visit.identity);
  if (found === undefined) throw hasNoAccount();
  checkPassword(password, again, [found.username]);
  const hash = await passwords.hash(password, call.remoteAddress);
  if (found.passwordHash === "") {
    return engine.store.write(async (tx) => {
      const account = await findAccountForChange(tx, visit.identity);
      if (account?.passwordHash !== "") throw isWrong();
      await setPassword(tx, call, visit, hash);
    });
  }
  const refusal = "password change refused";
  const claim = { found, password: current, refusal, isSignedIn: true };
  const changed = await withPassword(deps, call, claim, async (tx) => {
    await setPassword(tx, call, visit, hash);
    return true;
  });
  if (changed === undefined) throw isWrong();
}

/** Whoever knew the old one may have signed in with it. */
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
  await dropTicketsOf(tx, identity);
  await goOn(tx, visit);
  const action = "password changed";
  await audit(tx, call, { action, resource: identity, actor: identity, detail: { sessions } });
}

function isWrong(): Error {
  const description =
    "your current password is wrong, or there were too many attempts: wait a while before you try again";
  return invalidArgument({ field: "current", description });
}
