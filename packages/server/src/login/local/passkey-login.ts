import { auditEntry, UNAUTHENTICATED } from "../../engine/audit/audit.ts";
import { Mutation } from "../../engine/write/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import {
  findAccountForChange,
  findPasskey,
  findPasskeyForChange,
  recordPasskeyUse,
  type StoredPasskey,
} from "../../store/tables/login/local-accounts.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { newSecret } from "../browser.ts";
import { BrowserCall } from "../endpoint-call.ts";
import {
  continueAt,
  type LoginDeps,
  peekLogin,
  redeemLoginIn,
  saveSignedInLogin,
} from "../login.ts";
import { updateLastSeen } from "../people/registration.ts";
import { personOf } from "./accounts.ts";
import { type ChallengeContext, openChallenge, sealChallenge } from "./challenges.ts";
import type { ScriptRequest } from "./json-endpoint.ts";
import {
  passkeyIdOf,
  passkeyRejected,
  requestOptions,
  requirePasskeySite,
  verifyPasskey,
} from "./passkeys.ts";

/** The options to sign in with any passkey of this site. */
export async function passkeyLoginOptions(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  request: ScriptRequest,
): Promise<object> {
  await attempts.count("passkey", request.http.remoteAddress);
  const context = challengeContextOf(request);
  await peekLogin(deps, request.http, context.form, Date.now());
  const options = await requestOptions(requirePasskeySite(deps));
  const challengeId = sealChallenge(deps, context, options.challenge, {});
  return { options, challengeId };
}

/** Signs in with the response of a passkey. */
export async function passkeyLogin(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const { http, response } = request;
  const call = new BrowserCall(http);
  const context = challengeContextOf(request);
  await peekLogin(deps, http, context.form, call.time);
  const { challenge } = openChallenge(deps, context, request.text("challengeId"));
  const known = await findPasskey(deps.store.reader, passkeyIdOf(response));
  if (known === undefined) throw passkeyRejected();
  try {
    const use = await verifyPasskey(
      requirePasskeySite(deps),
      challenge,
      response,
      known,
      call.time,
    );
    return { redirect: await signIn(deps, call, context, known, use) };
  } catch (error) {
    await auditDenial(deps, call, known);
    throw error;
  }
}

function challengeContextOf(request: ScriptRequest): ChallengeContext {
  return { purpose: "sign in", http: request.http, form: request.text("login") };
}

/** A locked password does not block passkeys, which cannot be guessed. */
async function signIn(
  deps: LoginDeps,
  call: Call,
  { http, form }: ChallengeContext,
  known: StoredPasskey,
  use: Parameters<typeof recordPasskeyUse>[1],
): Promise<string> {
  const { addresses } = deps;
  const ticket = newSecret();
  await deps.store.write(async (tx) => {
    const login = await redeemLoginIn(deps, tx, http, form, call.time);
    const passkey = await findPasskeyForChange(tx, known.credentialId);
    const account = await findAccountForChange(tx, known.identity);
    if (account === undefined || passkey?.counter !== known.counter) throw passkeyRejected();
    await recordPasskeyUse(tx, use);
    await updateLastSeen(
      new Mutation(call, tx, deps, { actor: account.identity }),
      account.identity,
    );
    const person = personOf(addresses().authUrl, account, call.time);
    await saveSignedInLogin(tx, ticket, { ...login, person }, call.time);
  });
  return continueAt(ticket);
}

async function auditDenial(
  { audit }: LoginDeps,
  call: Call,
  { identity }: StoredPasskey,
): Promise<void> {
  const denial = { action: "login refused", resource: identity, code: UNAUTHENTICATED };
  await audit.anonymous.record(auditEntry(call, denial), identity);
}
