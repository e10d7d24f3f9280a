import { IdentitiesService, SecurityTokenService } from "@wharf/contract";
import type { Api } from "../wire/api.ts";
import type { ExchangeDeps } from "./authorize-subject.ts";
import { exchangeMethod, type ProviderExchange } from "./exchange.ts";
import { IdentityCache } from "./identity-cache.ts";
import type { IssuerPolicy } from "./issuers/issuer-policy.ts";
import { Issuers } from "./issuers/issuers.ts";
import { testIdentityMethod } from "./test-identity.ts";

/** Creates the dependencies of an exchange; login and the registry verify tokens with it, too. */
export function createExchange(
  deps: Omit<ExchangeDeps, "source" | "identities"> & { readonly issuerPolicy: IssuerPolicy },
): ExchangeDeps {
  const { issuerPolicy, addresses } = deps;
  const source = { policy: issuerPolicy, issuers: new Issuers(issuerPolicy) };
  const identities = new IdentityCache(deps, addresses);
  return { ...deps, source, identities };
}

/** Registers the token exchange, and the test of an identity. */
export function registerSts(
  api: Api,
  exchange: ExchangeDeps,
  providerExchange: ProviderExchange,
): void {
  const { handlers } = api;
  handlers.bind(SecurityTokenService.method.exchange, exchangeMethod(exchange, providerExchange));
  handlers.bind(IdentitiesService.method.testIdentity, testIdentityMethod(exchange));
}
