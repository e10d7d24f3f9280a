import { auditEntry, UNAUTHENTICATED } from "../../engine/audit.ts";
import { Mutation } from "../../engine/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import { findAccountForChange } from "../../store/tables/local-accounts.ts";
import {
  findPasskey,
  findPasskeyForChange,
  notePasskeyUse,
  type StoredPasskey,
} from "../../store/tables/passkeys.ts";
import type { Attempts } from "../attempts.ts";
import { newSecret } from "../browser.ts";
import { callOf, keepSignedIn, type LoginDeps, openLogin, takeLogin } from "../login.ts";
import { noteSeen } from "../people/registration.ts";
import { personOf } from "./accounts.ts";
import { type Asking, openChallenge, sealChallenge, siteOf } from "./challenges.ts";
import { continueAt } from "./continue.ts";
import type { ScriptRequest } from "./json-endpoint.ts";
import { passkeyIdOf, refused, requestOptions, usedPasskey } from "./passkeys.ts";

/** Asks a browser for a passkey, whichever it has. */
export async function askForPasskey(
  deps: LoginDeps,
  attempts: Attempts,
  request: ScriptRequest,
): Promise<object> {
  attempts.count("passkey", request.http.remoteAddress);
  const asking = askingOf(request);
  await openLogin(deps, request.http, asking.form, Date.now());
  const options = await requestOptions(siteOf(deps));
  const challengeId = sealChallenge(deps, asking, options.challenge, {});
  return { options, challengeId };
}

/** Goes on with a login by what a passkey answered. */
export async function passkeyLogin(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const { http, response } = request;
  const call = callOf(http);
  const asking = askingOf(request);
  await openLogin(deps, http, asking.form, call.time);
  const { challenge } = openChallenge(deps, asking, request.text("challengeId"));
  const known = await findPasskey(deps.engine.store.reader, passkeyIdOf(response));
  if (known === undefined) throw refused();
  try {
    const use = await usedPasskey(siteOf(deps), challenge, response, known, call.time);
    return { redirect: await signIn(deps, call, asking, known, use) };
  } catch (error) {
    await noteRefusal(deps, call, known);
    throw error;
  }
}

function askingOf(request: ScriptRequest): Asking {
  return { purpose: "sign in", http: request.http, form: request.text("login") };
}

/** A lock on the password does not hold here: a passkey cannot be guessed. */
async function signIn(
  deps: LoginDeps,
  call: Call,
  { http, form }: Asking,
  known: StoredPasskey,
  use: Parameters<typeof notePasskeyUse>[1],
): Promise<string> {
  const { engine, addresses } = deps;
  const ticket = newSecret();
  await engine.store.write(async (tx) => {
    const login = await takeLogin(deps, tx, http, form, call.time);
    const passkey = await findPasskeyForChange(tx, known.credentialId);
    const account = await findAccountForChange(tx, known.identity);
    if (account === undefined || passkey?.counter !== known.counter) throw refused();
    await notePasskeyUse(tx, use);
    await noteSeen(new Mutation(call, tx, engine, { actor: account.identity }), account.identity);
    const person = personOf(addresses().authUrl, account);
    await keepSignedIn(tx, ticket, { ...login, person }, call.time);
  });
  return continueAt(ticket);
}

async function noteRefusal(
  { engine }: LoginDeps,
  call: Call,
  { identity }: StoredPasskey,
): Promise<void> {
  const refusal = { action: "login refused", resource: identity, code: UNAUTHENTICATED };
  await engine.auditAggregator.record(auditEntry(call, refusal), identity);
}
