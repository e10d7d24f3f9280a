import { audit } from "../../engine/audit/audit.ts";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
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
import { BrowserCall } from "../endpoint-call.ts";
import { type ChallengeContext, redeemChallenge } from "../local/challenges.ts";
import type { ScriptRequest } from "../local/json-endpoint.ts";
import { enrollPasskey, offerPasskey } from "../local/passkey-enrollment.ts";
import { passkeyRejected } from "../local/passkeys.ts";
import type { LoginDeps } from "../login.ts";
import { ACCOUNT_PATH, confirmVisit, type OpenVisit, requireVisit } from "./visit.ts";

const MAX_PASSKEYS = 20;

/** The options for one more passkey. Lists existing ones, so that no device gets a second one. */
export async function passkeyCreationOptions(
  deps: LoginDeps,
  request: ScriptRequest,
): Promise<object> {
  const { reader } = deps.store;
  const context = challengeContextOf(request);
  const { identity } = await requireVisit(deps, request.http, context.form, Date.now());
  const account = await accountOf(reader, identity);
  if (account === undefined) throw noLocalAccount();
  const known = await passkeysOf(reader, identity);
  if (known.length >= MAX_PASSKEYS) throw tooMany();
  const ids = known.map(({ credentialId }) => credentialId);
  return offerPasskey(deps, context, { identity, username: account.username }, ids);
}

/** Verifies and adds a passkey that a browser has created. */
export async function addAccountPasskey(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const call = new BrowserCall(request.http);
  const context = challengeContextOf(request);
  const visit = await requireVisit(deps, request.http, context.form, call.time);
  const challengeId = request.text("challengeId");
  const { identity } = visit;
  const { passkey } = await enrollPasskey(deps, context, request, call);
  await changeAccount(deps, call, visit, async (tx) => {
    await redeemChallenge(tx, challengeId, call.time);
    if ((await passkeysOf(tx, identity)).length >= MAX_PASSKEYS) throw tooMany();
    if (!(await addPasskey(tx, passkey))) throw passkeyRejected();
    await auditPasskey(tx, call, identity, "passkey added", passkey.credentialId);
  });
  return { redirect: `${ACCOUNT_PATH}?done=added` };
}

export async function renameAccountPasskey(
  deps: LoginDeps,
  call: Call,
  visit: OpenVisit,
  id: string,
  typed: string,
): Promise<void> {
  const name = typed.trim();
  if (!/^[^\p{C}]{1,64}$/u.test(name)) {
    const description = "the name of a passkey must have 1 to 64 characters";
    throw invalidArgument({ field: "name", description });
  }
  await changeAccount(deps, call, visit, async (tx, { identity }) => {
    if (!(await renamePasskey(tx, identity, id, name))) throw passkeyNotFound();
    await auditPasskey(tx, call, identity, "passkey renamed", id);
  });
}

/** Removes a passkey, unless it is the only credential of the account. */
export async function removePasskey(
  deps: LoginDeps,
  call: Call,
  visit: OpenVisit,
  id: string,
): Promise<void> {
  await changeAccount(deps, call, visit, async (tx, { identity, passwordHash }) => {
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
  visit: OpenVisit,
  work: (tx: Transaction, account: LocalAccount) => Promise<void>,
): Promise<void> {
  await store.write(async (tx) => {
    const account = await findAccountForChange(tx, visit.identity);
    if (account === undefined) throw noLocalAccount();
    await confirmVisit(tx, visit, time);
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

function challengeContextOf(request: ScriptRequest): ChallengeContext {
  return { purpose: "visit", http: request.http, form: request.text("login") };
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

/** Identity providers manage the credentials of their people. */
export function noLocalAccount(): WharfError {
  return new WharfError(
    "PERMISSION_DENIED",
    "your identity provider manages your password and passkeys",
  );
}
