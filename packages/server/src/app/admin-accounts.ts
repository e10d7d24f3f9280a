import { ConfigError, type Settings } from "../config/settings.ts";
import { normalizeUsername } from "../login/local/rules.ts";
import {
  type AccountSummary,
  deletePasskeys,
  findAccount,
  listAccounts,
  setPasswordHash,
} from "../store/tables/login/local-accounts.ts";
import { endSessions } from "../store/tables/login/sessions.ts";
import { deleteTicketsOf } from "../store/tables/login/tickets.ts";
import { withStore } from "./admin-store.ts";
import { auditOperator } from "./key-rotation.ts";

/** Operator commands for local accounts. */

export function accounts(settings: Settings): Promise<AccountSummary[]> {
  return withStore(settings, (store) => listAccounts(store.reader, Date.now()));
}

/**
 * Removes password and passkeys of an account, ends its sessions and invalidates its codes. Its identity and role
 * bindings stay: a reset code makes it usable again. Returns the number of sessions that ended.
 */
export function disableAccount(settings: Settings, typed: string): Promise<number> {
  return withStore(settings, async (store) => {
    const username = normalizeUsername(typed);
    const account = username && (await findAccount(store.reader, username));
    if (!account) throw new ConfigError(`there is no local account ${typed}`);
    const { identity } = account;
    return store.write(async (tx) => {
      await deletePasskeys(tx, identity);
      await setPasswordHash(tx, identity, "");
      // Includes sign-ins that are in progress, and reset codes.
      await deleteTicketsOf(tx, identity);
      const sessions = await endSessions(tx, { identity });
      const detail = { username: account.username, identity, sessions };
      auditOperator(tx, "account disable", detail, Date.now());
      return sessions;
    });
  });
}
