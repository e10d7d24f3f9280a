import { type ExchangeRequest, type IdentityProvider, literalIdentityUid } from "@wharf/contract";
import type { Call } from "../../rpc/call.ts";
import type { AuditedSubject } from "../../sts/authorize-subject.ts";
import { scopesOf } from "../../sts/down-scope.ts";
import { invalidClaim } from "../../sts/verify/checks.ts";
import { exactly } from "../../sts/verify/matcher.ts";
import { organizationOf, type TokenRule } from "../../sts/verify/rule.ts";
import type { KeySource } from "../../sts/verify/signature.ts";
import { verifyToken } from "../../sts/verify/verify.ts";
import type { LoginDeps } from "../login.ts";
import type { Issued } from "../people/sessions.ts";
import { admit } from "./admission.ts";
import { describe } from "./provider-login.ts";

/** Gives a token of ours for one that an identity provider made for its own client. */
export type ProviderExchange = (
  call: Call,
  request: ExchangeRequest,
  token: string,
  seen: AuditedSubject,
) => Promise<Issued>;

/**
 * Exchanges ID tokens of identity providers: a login without a browser, for people who are known.
 * What it gives belongs to a session, as after any login, and ends with it.
 */
export function providerExchange(deps: LoginDeps, source: KeySource): ProviderExchange {
  return async (call, request, token, seen) => {
    const { engine, sessions } = deps;
    const { identityProvider: uid, identity } = request;
    const provider = await engine.identityProviders.find(engine.store.reader, uid);
    const rule = provider && ruleOf(provider);
    if (provider === undefined || rule === undefined) throw invalidClaim("identity_provider");
    const claims = await verifyToken(token, rule, source, call.time, seen);
    seen.identity = literalIdentityUid(claims.iss, claims.sub);
    if (identity !== "" && identity !== seen.identity) throw invalidClaim("identity");
    const described = describe(provider, claims, claims);
    const person = await admit(deps, call, provider, described, { knownOnly: true });
    const session = await engine.store.write((tx) => sessions.open(tx, call, person));
    const wanted = { audiences: request.aud, scopes: scopesOf(request), capabilities: request.cap };
    return sessions.accessToken(session, wanted, call.time);
  };
}

/** The token must be one that the provider made for us, and no other of its clients. */
function ruleOf({ uid, configuration }: IdentityProvider): TokenRule | undefined {
  if (configuration.case !== "oidc") return undefined;
  const { issuer, clientId } = configuration.value;
  const claims = [["aud", exactly(clientId)]] as const;
  return { kind: "token", issuer: exactly(issuer), claims, organization: organizationOf(uid) };
}
