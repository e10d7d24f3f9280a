import { audit } from "../../engine/audit.ts";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import {
  accountOf,
  findAccountForChange,
  type LocalAccount,
} from "../../store/tables/local-accounts.ts";
import {
  addPasskey,
  deletePasskey,
  passkeysOf,
  renamePasskey,
} from "../../store/tables/passkeys.ts";
import {
  type Asking,
  openChallenge,
  redeemChallenge,
  sealChallenge,
  siteOf,
} from "../local/challenges.ts";
import type { ScriptRequest } from "../local/json-endpoint.ts";
import { creationOptions, newPasskey, refused } from "../local/passkeys.ts";
import { callOf, type LoginDeps } from "../login.ts";
import { ACCOUNT_PATH, confirmVisit, type OpenVisit, visitOf } from "./visit.ts";

/** More than anyone has devices. */
const MOST_PASSKEYS = 20;

/**
 * Asks a browser to make one more passkey. It knows those that there are, so that no device gets a second.
 */
export async function askForOneMore(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const { reader } = deps.engine.store;
  const asking = askingOf(request);
  const { identity } = await visitOf(deps, request.http, asking.form, Date.now());
  const account = await accountOf(reader, identity);
  if (account === undefined) throw hasNoAccount();
  const known = await passkeysOf(reader, identity);
  if (known.length >= MOST_PASSKEYS) throw tooMany();
  const ids = known.map(({ credentialId }) => credentialId);
  const options = await creationOptions(siteOf(deps), account, ids);
  const challengeId = sealChallenge(deps, asking, options.challenge, { identity });
  return { options, challengeId };
}

/** Adds the passkey that a browser has made. */
export async function addOneMore(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const call = callOf(request.http);
  const asking = askingOf(request);
  const visit = await visitOf(deps, request.http, asking.form, call.time);
  const challengeId = request.text("challengeId");
  const { challenge } = openChallenge(deps, asking, challengeId);
  const { identity } = visit;
  const passkey = await newPasskey(siteOf(deps), challenge, request.response, identity, call);
  await changeAccount(deps, call, visit, async (tx) => {
    await redeemChallenge(tx, challengeId, call.time);
    if ((await passkeysOf(tx, identity)).length >= MOST_PASSKEYS) throw tooMany();
    if (!(await addPasskey(tx, passkey))) throw refused();
    await note(tx, call, identity, "passkey added", passkey.credentialId);
  });
  return { redirect: `${ACCOUNT_PATH}?done=added` };
}

/** Calls a passkey something else. */
export async function nameOnePasskey(
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
    if (!(await renamePasskey(tx, identity, id, name))) throw isGone();
    await note(tx, call, identity, "passkey renamed", id);
  });
}

/** Removes a passkey, unless it is the last way in. */
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
    if (passwordHash === "" && others.length === 0) throw isLast();
    if (!(await deletePasskey(tx, identity, id))) throw isGone();
    await note(tx, call, identity, "passkey removed", id);
  });
}

/** Whoever changes how an account is opened holds the account: two changes at once could leave no way in. */
async function changeAccount(
  { engine }: LoginDeps,
  { time }: Call,
  visit: OpenVisit,
  work: (tx: Transaction, account: LocalAccount) => Promise<void>,
): Promise<void> {
  await engine.store.write(async (tx) => {
    const account = await findAccountForChange(tx, visit.identity);
    if (account === undefined) throw hasNoAccount();
    await confirmVisit(tx, visit, time);
    await work(tx, account);
  });
}

function note(tx: Transaction, call: Call, identity: string, action: string, passkey: string) {
  return audit(tx, call, { action, resource: identity, actor: identity, detail: { passkey } });
}

function askingOf(request: ScriptRequest): Asking {
  return { purpose: "visit", http: request.http, form: request.text("login") };
}

function tooMany(): Error {
  const description = `an account has at most ${MOST_PASSKEYS} passkeys: remove one first`;
  return invalidArgument({ field: "passkey", description });
}

function isLast(): Error {
  const description =
    "this is your only way to sign in: set a password or add another passkey first";
  return invalidArgument({ field: "passkey", description });
}

function isGone(): Error {
  return invalidArgument({ field: "passkey", description: "this passkey no longer exists" });
}

/** People of a provider have their passwords and passkeys there. */
export function hasNoAccount(): WharfError {
  return new WharfError(
    "PERMISSION_DENIED",
    "your identity provider manages your password and passkeys",
  );
}
