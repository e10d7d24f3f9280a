import type { Call } from "../../rpc/call.ts";
import type { StoredPasskey } from "../../store/tables/login/local-accounts.ts";
import type { LoginDeps } from "../login.ts";
import { type ChallengeContext, openChallenge, sealChallenge } from "./challenges.ts";
import type { ScriptRequest } from "./json-endpoint.ts";
import { creationOptions, requirePasskeySite, verifyNewPasskey } from "./passkeys.ts";

/** The account that a passkey is created for. */
interface Account {
  readonly identity: string;
  readonly username: string;
}

/** The options to create a passkey, and their challenge, which is sealed with the account. */
export async function offerPasskey(
  deps: LoginDeps,
  context: ChallengeContext,
  account: Account,
  known: readonly string[] = [],
): Promise<object> {
  const options = await creationOptions(requirePasskeySite(deps), account, known);
  const challengeId = sealChallenge(deps, context, options.challenge, account);
  return { options, challengeId };
}

/** Verifies the passkey that a browser created as offered, and returns it with its account. */
export async function enrollPasskey<A extends Account>(
  deps: LoginDeps,
  context: ChallengeContext,
  request: ScriptRequest,
  call: Call,
): Promise<{ readonly account: A; readonly passkey: StoredPasskey }> {
  const { challenge, payload: account } = openChallenge<A>(
    deps,
    context,
    request.text("challengeId"),
  );
  const site = requirePasskeySite(deps);
  const { response } = request;
  const passkey = await verifyNewPasskey(site, challenge, response, account.identity, call);
  return { account, passkey };
}
