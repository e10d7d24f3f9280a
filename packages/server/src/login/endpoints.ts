import type { Methods } from "../rpc/call.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { AttemptLimiter } from "./attempts.ts";
import { htmlResponse, redirectTo } from "./browser.ts";
import { browserLoginEndpoints } from "./browser-login.ts";
import { CONSOLE_PATH, consoleSessionEndpoints } from "./console/endpoints.ts";
import { consoleSessionOf } from "./console/session.ts";
import { localEndpoints } from "./local/endpoints.ts";
import { isFirstRun } from "./local/setup.ts";
import type { LoginDeps } from "./login.ts";
import { deviceEndpoints } from "./oauth/device-endpoints.ts";
import { personOAuthGrants } from "./oauth/oauth-grants.ts";
import { oauthTokenEndpoint } from "./oauth/token-endpoint.ts";
import { TOKEN_EXCHANGE, tokenExchangeGrant } from "./oauth/token-exchange-grant.ts";
import { pageEndpoint } from "./page-endpoint.ts";
import { PASSKEY_JS, PASSKEY_PATH, STYLE_CSS, STYLE_PATH } from "./pages/layout.ts";
import { welcomePage } from "./pages/messages.ts";
import { providersFor } from "./providers/find-provider.ts";

/** The URL contains a digest of the content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** All endpoints of login beside the methods of the contract: pages, and the endpoints of OAuth. */
export function loginEndpoints(deps: LoginDeps, methods: Methods): HttpEndpoint[] {
  const attempts = new AttemptLimiter(deps.limits);
  const grants = new Map([
    [TOKEN_EXCHANGE, tokenExchangeGrant(methods)],
    ...personOAuthGrants(deps),
  ]);
  return [
    oauthTokenEndpoint(grants),
    ...browserLoginEndpoints(deps),
    ...deviceEndpoints(deps, attempts),
    ...localEndpoints(deps, attempts),
    ...consoleSessionEndpoints(deps),
    pageEndpoint("GET", "/", (http) => welcome(deps, http)),
    orgCheckEndpoint(deps),
    file(STYLE_PATH, "text/css; charset=utf-8", STYLE_CSS),
    file(PASSKEY_PATH, "text/javascript; charset=utf-8", PASSKEY_JS),
  ];
}

async function welcome(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  if ((await consoleSessionOf(deps, http)) !== undefined) return redirectTo(CONSOLE_PATH);
  const firstRun = await isFirstRun(deps, deps.store.reader);
  return htmlResponse(200, welcomePage({ firstRun, api: deps.addresses().baseUrl }));
}

/** Whether an organization can be signed in to by name; the CLI asks before it opens a browser. */
function orgCheckEndpoint(deps: LoginDeps): HttpEndpoint {
  return {
    method: "GET",
    path: "/orgcheck",
    async handle({ query }) {
      const name = new URLSearchParams(query).get("name") ?? "";
      const found = await providersFor(deps, name);
      return { status: 200, headers: {}, body: JSON.stringify(found.length > 0) };
    },
  };
}

function file(path: string, type: string, body: string): HttpEndpoint {
  const answer: HttpResponse = {
    status: 200,
    headers: { "content-type": type, "cache-control": IMMUTABLE },
    body,
  };
  return { method: "GET", path, isPage: true, handle: async () => answer };
}
