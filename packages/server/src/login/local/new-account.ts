import { newRootUid, rootOf } from "@wharf/contract";
import { Mutation } from "../../engine/mutation.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { findAccount } from "../../store/tables/local-accounts.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import { htmlAnswer, newSecret, readForm } from "../browser.ts";
import {
  callOf,
  keepLogin,
  keepSignedIn,
  type Login,
  type LoginDeps,
  openLogin,
  resumeLogin,
  takeLogin,
} from "../login.ts";
import { formErrorOf } from "../page-endpoint.ts";
import { newAccountPage } from "../pages/enroll.ts";
import type { Person } from "../people/person.ts";
import { afterJoining, inviteOf, joinWithInvite, promiseOf } from "../steps.ts";
import { type Credential, createAccount, type NewAccount, usernameTaken } from "./accounts.ts";
import { type Asking, openChallenge, sealChallenge, siteOf } from "./challenges.ts";
import { continueAt } from "./continue.ts";
import type { ScriptRequest } from "./json-endpoint.ts";
import { passkeySite } from "./passkey-site.ts";
import { creationOptions, newPasskey } from "./passkeys.ts";
import { checkPassword, readUsername } from "./rules.ts";

/**
 * Makes a local account with a password, to accept the invite of a login with. Without a username
 * the form for it is shown.
 */
export async function newAccount(
  deps: LoginDeps,
  attempts: Attempts,
  http: HttpRequest,
): Promise<HttpResponse> {
  attempts.count("account", http.remoteAddress);
  const form = await readForm(http);
  const call = callOf(http);
  const ticket = form.get("login") ?? "";
  const login = await resumeLogin(deps, http, ticket, call.time);
  const promised = await promiseTo(deps, login, call.time);
  const typed = form.get("username");
  if (typed === null) return showForm(deps, login, promised, {});
  try {
    const username = readUsername(typed);
    const password = form.get("password") ?? "";
    checkPassword(password, form.get("password_again") ?? "", [username, ...promised.names]);
    const passwordHash = await deps.passwords.hash(password, call.remoteAddress);
    const account = { identity: newRootUid(), username };
    const person = await deps.engine.store.write(async (tx) => {
      await takeLogin(deps, tx, http, ticket, call.time);
      return join(deps, tx, call, login, account, { passwordHash });
    });
    return await afterJoining(deps, call, { ...login, person });
  } catch (thrown) {
    return showForm(deps, login, promised, { error: formErrorOf(thrown), username: typed });
  }
}

/** What a new account will be good for, and names that are no good as its password. */
interface Promised {
  readonly group: string;
  readonly role: string;
  readonly names: readonly string[];
}

/** Nobody vouches for the e-mail address of a local account, so an invite for one needs a provider. */
async function promiseTo(deps: LoginDeps, { request }: Login, now: number): Promise<Promised> {
  const {
    store,
    catalog: { groups },
  } = deps.engine;
  const invite = await inviteOf(deps, request.invite, now);
  if (invite.email !== "") {
    const text =
      "the invite is for an email address: sign in with an identity provider that has verified it";
    throw new WharfError("PERMISSION_DENIED", text);
  }
  const { group, role } = await promiseOf(deps, invite);
  const organization = await groups.find(store.reader, rootOf(invite.uid));
  return { group, role, names: [group, organization?.name ?? ""] };
}

async function showForm(
  deps: LoginDeps,
  login: Login,
  { group, role }: Promised,
  { error, username }: { error?: string; username?: string },
): Promise<HttpResponse> {
  const body = newAccountPage({
    login: await keepLogin(deps, login, Date.now()),
    passkeySite: passkeySite(deps.addresses().authUrl)?.origin,
    group,
    role,
    error,
    values: { username },
  });
  return htmlAnswer(error === undefined ? 200 : 400, body);
}

/** All of it or nothing: an account without its invite would be of no use to anyone. */
async function join(
  { engine, addresses }: LoginDeps,
  tx: Transaction,
  call: Call,
  { request }: Login,
  account: NewAccount,
  credential: Credential,
): Promise<Person> {
  const change = new Mutation(call, tx, engine, { actor: account.identity });
  const person = await createAccount(change, addresses().authUrl, account, credential);
  await joinWithInvite(change, request.invite, person);
  return person;
}

/** Asks a browser to make the passkey of a new account. */
export async function askForAccount(
  deps: LoginDeps,
  attempts: Attempts,
  request: ScriptRequest,
): Promise<object> {
  attempts.count("account", request.http.remoteAddress);
  const now = Date.now();
  const asking = askingOf(request);
  await promiseTo(deps, await openLogin(deps, request.http, asking.form, now), now);
  const username = readUsername(request.text("username"));
  if (await findAccount(deps.engine.store.reader, username)) throw usernameTaken();
  const account: NewAccount = { identity: newRootUid(), username };
  const options = await creationOptions(siteOf(deps), account);
  const challengeId = sealChallenge(deps, asking, options.challenge, account);
  return { options, challengeId };
}

/** Makes a local account with the passkey that the browser has made. */
export async function newPasskeyAccount(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const { http } = request;
  const call = callOf(http);
  const asking = askingOf(request);
  await openLogin(deps, http, asking.form, call.time);
  const { challenge, payload: account } = openChallenge<NewAccount>(
    deps,
    asking,
    request.text("challengeId"),
  );
  const { identity } = account;
  const passkey = await newPasskey(siteOf(deps), challenge, request.response, identity, call);
  const ticket = newSecret();
  await deps.engine.store.write(async (tx) => {
    const login = await takeLogin(deps, tx, http, asking.form, call.time);
    const person = await join(deps, tx, call, login, account, { passkey });
    await keepSignedIn(tx, ticket, { ...login, person, joined: true }, call.time);
  });
  return { redirect: continueAt(ticket) };
}

function askingOf(request: ScriptRequest): Asking {
  return { purpose: "account", http: request.http, form: request.text("login") };
}
