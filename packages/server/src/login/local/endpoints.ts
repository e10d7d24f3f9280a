/**
 * Local accounts: passwords, passkeys, first setup and reset. Imports pages, people and the login
 * state of the parent folder.
 */
import { WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { requireSignedIn } from "../browser-login.ts";
import { BrowserCall } from "../endpoint-call.ts";
import { CONTINUE_PATH, type LoginDeps, resumeLogin } from "../login.ts";
import { pageEndpoint } from "../page-endpoint.ts";
import { afterJoining, afterSignIn } from "../steps.ts";
import { jsonEndpoint } from "./json-endpoint.ts";
import { newAccount, newAccountPasskeyOptions, newPasskeyAccount } from "./new-account.ts";
import { passkeyLogin, passkeyLoginOptions } from "./passkey-login.ts";
import { passwordLogin } from "./password-login.ts";
import { resetEndpoints } from "./reset-endpoints.ts";
import { setupEndpoints } from "./setup-endpoints.ts";

/** All endpoints of local accounts. If those are disabled, the endpoints respond NOT_FOUND. */
export function localEndpoints(deps: LoginDeps, attempts: AttemptLimiter): HttpEndpoint[] {
  const endpoints = [
    pageEndpoint("POST", "/oauth/local", (http) => passwordLogin(deps, attempts, http)),
    jsonEndpoint("/oauth/passkey/options", (request) =>
      passkeyLoginOptions(deps, attempts, request),
    ),
    jsonEndpoint("/oauth/passkey/verify", (request) => passkeyLogin(deps, request)),
    pageEndpoint("POST", "/oauth/account", (http) => newAccount(deps, attempts, http)),
    jsonEndpoint("/oauth/account/passkey/options", (request) =>
      newAccountPasskeyOptions(deps, attempts, request),
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

/** Continues a login after a sign-in with a passkey. */
async function continueLogin(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const call = new BrowserCall(http);
  const ticket = new URLSearchParams(http.query).get("login");
  const login = requireSignedIn(await resumeLogin(deps, http, ticket, call.time));
  return login.joined ? afterJoining(deps, call, login) : afterSignIn(deps, call, login);
}
