import { maySignIn } from "../../auth/provisioning.ts";
import type { RefreshToken } from "../../auth/refresh-token.ts";
import { audit, UNAUTHENTICATED } from "../../engine/audit/audit.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import { externalIdOf } from "../../store/tables/login/provider-people.ts";
import {
  endSession,
  findSessionForChange,
  renewSession,
  type StoredSession,
} from "../../store/tables/login/sessions.ts";

/**
 * Renews a session. A refresh token that was used before has been stolen, so the session ends for
 * both the owner and the thief.
 */
export async function renew(
  tx: Transaction,
  call: Call,
  token: RefreshToken,
): Promise<StoredSession | undefined> {
  const found = await findSessionForChange(tx, token.session);
  if (found === undefined || found.expires <= call.time) return undefined;
  const { id, identity } = found;
  const detail = { session: id };
  if (found.generation !== token.generation) {
    await endSession(tx, id);
    const action = "refresh token used twice";
    await audit(tx, call, { action, resource: identity, code: UNAUTHENTICATED, detail });
    return undefined;
  }
  if (!(await mayStillSignIn(tx, found.provider, identity))) {
    await endSession(tx, id);
    const action = "refresh by someone who is not provisioned any more";
    await audit(tx, call, { action, resource: identity, code: UNAUTHENTICATED, detail });
    return undefined;
  }
  const generation = found.generation + 1;
  await renewSession(tx, id, generation, call.time);
  await audit(tx, call, { action: "refresh", resource: identity, actor: identity, detail });
  return { ...found, generation, used: call.time };
}

/**
 * Whether a person may still sign in through their identity provider; always true for local
 * accounts. Deactivation ends sessions; this covers people who were never provisioned.
 */
export async function mayStillSignIn(
  reader: Reader,
  provider: string,
  identity: string,
): Promise<boolean> {
  if (provider === "") return true;
  return maySignIn(reader, provider, await externalIdOf(reader, provider, identity));
}
