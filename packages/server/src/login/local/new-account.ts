import { newRootUid, rootOf } from "@wharf/contract";
import { Mutation } from "../../engine/write/mutation.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { findAccount } from "../../store/tables/login/local-accounts.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { htmlResponse, newSecret, readForm } from "../browser.ts";
import { BrowserCall } from "../endpoint-call.ts";
import {
  continueAt,
  type Login,
  type LoginDeps,
  peekLogin,
  redeemLoginIn,
  resumeLogin,
  saveLogin,
  saveSignedInLogin,
} from "../login.ts";
import { formErrorOf } from "../page-endpoint.ts";
import { newAccountPage } from "../pages/enroll.ts";
import type { Person } from "../people/person.ts";
import { afterJoining, inviteOfferOf, joinWithInvite, requireInvite } from "../steps.ts";
import { type Credential, createAccount, type NewAccount, usernameTaken } from "./accounts.ts";
import type { ChallengeContext } from "./challenges.ts";
import type { ScriptRequest } from "./json-endpoint.ts";
import { enrollPasskey, offerPasskey } from "./passkey-enrollment.ts";
import { passkeySite } from "./passkeys.ts";
import { checkPassword, parseUsername } from "./rules.ts";

/**
 * Creates a local account with a password to accept an invite. Without a username it shows the
 * form.
 */
export async function newAccount(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  http: HttpRequest,
): Promise<HttpResponse> {
  await attempts.count("account", http.remoteAddress);
  const form = await readForm(http);
  const call = new BrowserCall(http);
  const ticket = form.get("login") ?? "";
  const login = await resumeLogin(deps, http, ticket, call.time);
  const offer = await offerOf(deps, login, call.time);
  const typed = form.get("username");
  if (typed === null) return showForm(deps, login, offer, {});
  try {
    const username = parseUsername(typed);
    const password = form.get("password") ?? "";
    checkPassword(password, form.get("password_again") ?? "", [username, ...offer.names]);
    const passwordHash = await deps.passwords.hash(password, call.remoteAddress);
    const account = { identity: newRootUid(), username };
    const person = await deps.store.write(async (tx) => {
      await redeemLoginIn(deps, tx, http, ticket, call.time);
      return join(deps, tx, call, login, account, { passwordHash });
    });
    return await afterJoining(deps, call, { ...login, person });
  } catch (thrown) {
    return showForm(deps, login, offer, { error: formErrorOf(thrown), username: typed });
  }
}

/** The offer of the invite, and names that must not be the password. */
interface AccountOffer {
  readonly group: string;
  readonly role: string;
  readonly names: readonly string[];
}

/**
 * Local accounts have no verified email address, so an invite for one needs an identity provider.
 */
async function offerOf(deps: LoginDeps, { request }: Login, now: number): Promise<AccountOffer> {
  const {
    store,
    catalog: { groups },
  } = deps;
  const invite = await requireInvite(deps, request.invite, now);
  if (invite.email !== "") {
    const text =
      "the invite is for an email address: sign in with an identity provider that has verified it";
    throw new WharfError("PERMISSION_DENIED", text);
  }
  const { group, role } = await inviteOfferOf(deps, invite);
  const organization = await groups.find(store.reader, rootOf(invite.uid));
  return { group, role, names: [group, organization?.name ?? ""] };
}

async function showForm(
  deps: LoginDeps,
  login: Login,
  { group, role }: AccountOffer,
  { error, username }: { error?: string; username?: string },
): Promise<HttpResponse> {
  const body = newAccountPage({
    login: await saveLogin(deps, login, Date.now()),
    passkeySite: passkeySite(deps.addresses().authUrl)?.origin,
    group,
    role,
    error,
    values: { username },
  });
  return htmlResponse(error === undefined ? 200 : 400, body);
}

/** Creates the account and accepts the invite in one transaction. */
async function join(
  deps: LoginDeps,
  tx: Transaction,
  call: Call,
  { request }: Login,
  account: NewAccount,
  credential: Credential,
): Promise<Person> {
  const { addresses } = deps;
  const change = new Mutation(call, tx, deps, { actor: account.identity });
  const person = await createAccount(change, addresses().authUrl, account, credential);
  await joinWithInvite(change, request.invite, person);
  return person;
}

export async function newAccountPasskeyOptions(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  request: ScriptRequest,
): Promise<object> {
  await attempts.count("account", request.http.remoteAddress);
  const now = Date.now();
  const context = challengeContextOf(request);
  await offerOf(deps, await peekLogin(deps, request.http, context.form, now), now);
  const username = parseUsername(request.text("username"));
  if (await findAccount(deps.store.reader, username)) throw usernameTaken();
  const account: NewAccount = { identity: newRootUid(), username };
  return offerPasskey(deps, context, account);
}

/** Creates a local account with the passkey that the browser created. */
export async function newPasskeyAccount(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const { http } = request;
  const call = new BrowserCall(http);
  const context = challengeContextOf(request);
  await peekLogin(deps, http, context.form, call.time);
  const { account, passkey } = await enrollPasskey<NewAccount>(deps, context, request, call);
  const ticket = newSecret();
  await deps.store.write(async (tx) => {
    const login = await redeemLoginIn(deps, tx, http, context.form, call.time);
    const person = await join(deps, tx, call, login, account, { passkey });
    await saveSignedInLogin(tx, ticket, { ...login, person, joined: true }, call.time);
  });
  return { redirect: continueAt(ticket) };
}

function challengeContextOf(request: ScriptRequest): ChallengeContext {
  return { purpose: "account", http: request.http, form: request.text("login") };
}
