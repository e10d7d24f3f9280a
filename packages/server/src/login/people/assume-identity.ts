import { SecurityTokenService } from "@wharf/contract";
import type { Call } from "../../rpc/call.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { exchangeToken, type IssuedToken } from "../../sts/exchange.ts";
import type { TokenRequest } from "./sessions.ts";

/** The identity that a session assumes, and the groups that it is restricted to. */
export interface Assumed {
  readonly identity: string;
  readonly scopes: readonly string[];
}

/**
 * Issues a token of the identity that a session assumes. The token of the person is exchanged by the rules of the token
 * service, at every refresh again. A request that restricts the token more takes a second exchange, which cannot exceed
 * the first.
 */
export async function assumeIdentity(
  deps: ExchangeDeps,
  call: Call,
  personToken: string,
  { identity, scopes }: Assumed,
  request: TokenRequest,
): Promise<IssuedToken> {
  const { authUrl } = deps.addresses();
  const exchange = exchangeCall(call);
  const isRestricted = request.scopes.length > 0 || request.capabilities.length > 0;
  const assumed = await exchangeToken(deps, exchange, personToken, {
    identity,
    scopes,
    capabilities: [],
    audiences: isRestricted ? [authUrl] : request.audiences,
  });
  if (!isRestricted) return assumed;
  return exchangeToken(deps, exchange, assumed.token, { identity: "", ...request });
}

/** The audit log shows an exchange, whatever the person called. */
function exchangeCall(call: Call): Call {
  const { requestId, remoteAddress, userAgent, via, signal, caller, time } = call;
  return {
    ...{ requestId, remoteAddress, userAgent, via, signal, caller, time },
    authorization: undefined,
    format: "json",
    method: SecurityTokenService.method.exchange,
  };
}
