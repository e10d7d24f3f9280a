import { IdentityProvidersService } from "@wharf/contract";
import type { SigningKeys } from "../auth/keys.ts";
import { RefreshTokens } from "../auth/refresh-token.ts";
import type { AuditedDeps } from "../engine/audit/aggregator.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import type { RateLimits } from "../lib/scheduling/rate-limits.ts";
import type { InstallationSecrets } from "../secrets/installation-secrets.ts";
import type { ExchangeDeps } from "../sts/authorize-subject.ts";
import type { ProviderExchange } from "../sts/exchange.ts";
import type { Api } from "../wire/api.ts";
import { accountEndpoints } from "./account/endpoints.ts";
import { loginEndpoints } from "./endpoints.ts";
import { loginHandlers } from "./handlers.ts";
import type { PasswordHasher } from "./local/password.ts";
import { userinfoEndpoints } from "./oauth/userinfo.ts";
import { Sessions } from "./people/sessions.ts";
import { checkIssuerMethod } from "./providers/check-issuer.ts";
import { providerExchange } from "./providers/provider-exchange.ts";
import { ProviderLogin, type ProviderLoginDeps } from "./providers/provider-login.ts";
import { SealedTickets } from "./sealed-tickets.ts";

export interface RegisterLoginDeps extends ProviderLoginDeps, WriteDeps, ListDeps, AuditedDeps {
  readonly keys: SigningKeys;
  readonly installation: InstallationSecrets;
  readonly passwords: PasswordHasher;
  readonly limits: RateLimits;
}

/** Registers sign-in and sessions. Returns the exchange of tokens of identity providers, for sts. */
export function registerLogin(
  api: Api,
  deps: RegisterLoginDeps,
  exchange: ExchangeDeps,
): ProviderExchange {
  const { installation } = deps;
  const refreshTokens = new RefreshTokens(() => installation.get("refresh-tokens"));
  const sessions = new Sessions({ ...deps, refreshTokens, exchange });
  const providers = new ProviderLogin(deps);
  const sealed = new SealedTickets(() => installation.get("login-tickets"));
  const login = { ...deps, sessions, providers, sealed };
  api.handlers.bindAll(loginHandlers({ ...deps, ...exchange }, sessions));
  api.handlers.bind(
    IdentityProvidersService.method.checkIssuer,
    checkIssuerMethod(deps, deps.issuerPolicy, providers),
  );
  api.addEndpoints((methods) => loginEndpoints(login, methods));
  api.addEndpoints(() => accountEndpoints(login, exchange));
  api.addEndpoints(() => userinfoEndpoints(exchange));
  return providerExchange(login, exchange.source);
}
