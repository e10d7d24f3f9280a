import { audit } from "../../engine/audit/audit.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  accountOf,
  addPasskey,
  deletePasskey,
  findAccountForChange,
  type LocalAccount,
  passkeysOf,
  renamePasskey,
} from "../../store/tables/login/local-accounts.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { type ChallengeContext, redeemChallenge } from "../local/challenges.ts";
import type { ScriptRequest } from "../local/json-endpoint.ts";
import { enrollPasskey, offerPasskey } from "../local/passkey-enrollment.ts";
import { passkeyRejected } from "../local/passkeys.ts";
import type { LoginDeps } from "../login.ts";
import { type AccountSession, lockAccountSession, noLocalAccount } from "./account-session.ts";

const MAX_PASSKEYS = 20;

/** The options for one more passkey. Lists existing ones, so that no device gets a second one. */
export async function passkeyCreationOptions(
  deps: LoginDeps,
  session: AccountSession,
  { http }: ScriptRequest,
): Promise<object> {
  const { reader } = deps.store;
  const { identity } = session;
  const account = await accountOf(reader, identity);
  if (account === undefined) throw noLocalAccount();
  const known = await passkeysOf(reader, identity);
  if (known.length >= MAX_PASSKEYS) throw tooMany();
  const ids = known.map(({ credentialId }) => credentialId);
  return offerPasskey(
    deps,
    challengeContextOf(http, session),
    { identity, username: account.username },
    ids,
  );
}

/** Verifies and adds a passkey that a browser has created, by the name of its form or else of its browser. */
export async function addAccountPasskey(
  deps: LoginDeps,
  call: Call,
  session: AccountSession,
  request: ScriptRequest,
): Promise<void> {
  const name = request.text("name") && passkeyName(request.text("name"));
  const challengeId = request.text("challengeId");
  const context = challengeContextOf(request.http, session);
  const { passkey } = await enrollPasskey(deps, context, request, call);
  await changeAccount(deps, call, session, async (tx, { identity }) => {
    await redeemChallenge(tx, challengeId, call.time);
    if ((await passkeysOf(tx, identity)).length >= MAX_PASSKEYS) throw tooMany();
    const named = name === "" ? passkey : { ...passkey, name };
    if (!(await addPasskey(tx, named))) throw passkeyRejected();
    await auditPasskey(tx, call, identity, "passkey added", passkey.credentialId);
  });
}

export async function renameAccountPasskey(
  deps: LoginDeps,
  call: Call,
  session: AccountSession,
  id: string,
  typed: string,
): Promise<void> {
  const name = passkeyName(typed);
  await changeAccount(deps, call, session, async (tx, { identity }) => {
    if (!(await renamePasskey(tx, identity, id, name))) throw passkeyNotFound();
    await auditPasskey(tx, call, identity, "passkey renamed", id);
  });
}

function passkeyName(typed: string): string {
  const name = typed.trim();
  if (/^[^\p{C}]{1,64}$/u.test(name)) return name;
  const description = "the name of a passkey must have 1 to 64 characters";
  throw invalidArgument({ field: "name", description });
}

/** Removes a passkey, unless it is the only credential of the account. */
export async function removePasskey(
  deps: LoginDeps,
  call: Call,
  session: AccountSession,
  id: string,
): Promise<void> {
  await changeAccount(deps, call, session, async (tx, { identity, passwordHash }) => {
    const others = (await passkeysOf(tx, identity)).filter(
      ({ credentialId }) => credentialId !== id,
    );
    if (passwordHash === "" && others.length === 0) throw isOnlyCredential();
    if (!(await deletePasskey(tx, identity, id))) throw passkeyNotFound();
    await auditPasskey(tx, call, identity, "passkey removed", id);
  });
}

/** Locks the account while its credentials change: concurrent removals could leave none. */
async function changeAccount(
  { store }: LoginDeps,
  { time }: Call,
  session: AccountSession,
  work: (tx: Transaction, account: LocalAccount) => Promise<void>,
): Promise<void> {
  await store.write(async (tx) => {
    const account = await findAccountForChange(tx, session.identity);
    if (account === undefined) throw noLocalAccount();
    await lockAccountSession(tx, session, time);
    await work(tx, account);
  });
}

function auditPasskey(
  tx: Transaction,
  call: Call,
  identity: string,
  action: string,
  passkey: string,
) {
  return audit(tx, call, { action, resource: identity, actor: identity, detail: { passkey } });
}

function challengeContextOf(http: HttpRequest, { id }: AccountSession): ChallengeContext {
  return { purpose: "own account", http, form: id };
}

function tooMany(): Error {
  const description = `an account has at most ${MAX_PASSKEYS} passkeys: remove one first`;
  return invalidArgument({ field: "passkey", description });
}

function isOnlyCredential(): Error {
  const description =
    "this is your only way to sign in: set a password or add another passkey first";
  return invalidArgument({ field: "passkey", description });
}

function passkeyNotFound(): Error {
  return invalidArgument({ field: "passkey", description: "this passkey no longer exists" });
}
