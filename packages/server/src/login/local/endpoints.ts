import { WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import type { LoginDeps } from "../login.ts";
import { pageEndpoint } from "../page-endpoint.ts";
import { CONTINUE_PATH, continueLogin } from "./continue.ts";
import { jsonEndpoint } from "./json-endpoint.ts";
import { askForAccount, newAccount, newPasskeyAccount } from "./new-account.ts";
import { askForPasskey, passkeyLogin } from "./passkey-login.ts";
import { passwordLogin } from "./password-login.ts";
import { resetEndpoints } from "./reset-endpoints.ts";
import { setupEndpoints } from "./setup-endpoints.ts";

/**
 * Everything that concerns local accounts. Where they are switched off, there is nothing at these
 * addresses.
 */
export function localEndpoints(deps: LoginDeps, attempts: Attempts): HttpEndpoint[] {
  const endpoints = [
    pageEndpoint("POST", "/oauth/local", (http) => passwordLogin(deps, attempts, http)),
    jsonEndpoint("/oauth/passkey/options", (request) => askForPasskey(deps, attempts, request)),
    jsonEndpoint("/oauth/passkey/verify", (request) => passkeyLogin(deps, request)),
    pageEndpoint("POST", "/oauth/account", (http) => newAccount(deps, attempts, http)),
    jsonEndpoint("/oauth/account/passkey/options", (request) =>
      askForAccount(deps, attempts, request),
    ),
    jsonEndpoint("/oauth/account/passkey/verify", (request) => newPasskeyAccount(deps, request)),
    pageEndpoint("GET", CONTINUE_PATH, (http) => continueLogin(deps, http)),
    ...setupEndpoints(deps, attempts),
    ...resetEndpoints(deps, attempts),
  ];
  return deps.settings.localAccounts ? endpoints : endpoints.map(switchedOff);
}

function switchedOff({ method, path }: HttpEndpoint): HttpEndpoint {
  return pageEndpoint(method, path, async () => {
    throw new WharfError("NOT_FOUND", "local accounts are disabled on this server");
  });
}
