import { type IdentityProvider, literalIdentityUid } from "@wharf/contract";
import { scopesOf } from "../../sts/down-scope.ts";
import type { ProviderExchange } from "../../sts/exchange.ts";
import { invalidClaim } from "../../sts/verify/checks.ts";
import { exactly } from "../../sts/verify/matcher.ts";
import { organizationOf, type TokenRule } from "../../sts/verify/rule.ts";
import type { KeySource } from "../../sts/verify/signature.ts";
import { verifyToken } from "../../sts/verify/verify.ts";
import type { LoginDeps } from "../login.ts";
import { admitPerson } from "./admission.ts";
import { providerClaimsOf } from "./provider-claims.ts";

/**
 * Exchanges ID tokens of identity providers: a sign-in without a browser, for registered people only.
 * The issued token belongs to a session and ends with it, as after any other sign-in.
 */
export function providerExchange(deps: LoginDeps, source: KeySource): ProviderExchange {
  return async (call, request, token, audited) => {
    const { catalog, store, sessions } = deps;
    const { identityProvider: uid, identity } = request;
    const provider = await catalog.identityProviders.find(store.reader, uid);
    const rule = provider && ruleOf(provider);
    if (provider === undefined || rule === undefined) throw invalidClaim("identity_provider");
    const claims = await verifyToken(token, rule, source, call.time, audited);
    audited.identity = literalIdentityUid(claims.iss, claims.sub);
    if (identity !== "" && identity !== audited.identity) throw invalidClaim("identity");
    const described = providerClaimsOf(provider, claims, claims);
    const person = await admitPerson(deps, call, provider, described, { knownOnly: true });
    const session = await store.writeFor(call, (tx) => sessions.open(tx, call, person));
    const tokenRequest = {
      audiences: request.aud,
      scopes: scopesOf(request),
      capabilities: request.cap,
    };
    return sessions.firstToken(call, session, tokenRequest);
  };
}

/** The provider must have issued the token to our client, not to another one. */
function ruleOf({ uid, configuration }: IdentityProvider): TokenRule | undefined {
  if (configuration.case !== "oidc") return undefined;
  const { issuer, clientId } = configuration.value;
  const claims = [["aud", exactly(clientId)]] as const;
  return { kind: "token", issuer: exactly(issuer), claims, organization: organizationOf(uid) };
}
