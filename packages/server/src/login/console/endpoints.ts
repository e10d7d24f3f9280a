/** Sign-in and session of the console. Imports pages and people. */
import { isUid } from "@wharf/contract";
import { WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { jsonResponse, redirectTo } from "../browser.ts";
import { newLogin, showSignIn, upstreamUrl } from "../browser-login.ts";
import { BrowserCall } from "../endpoint-call.ts";
import type { LoginDeps } from "../login.ts";
import { pageLoginRequest } from "../oauth/request.ts";
import { pageEndpoint } from "../page-endpoint.ts";
import {
  consoleSessionOf,
  endConsoleSession,
  issueConsoleToken,
  requireSameOrigin,
} from "./session.ts";

export const CONSOLE_PATH = "/console/";

/** The screen of the console where people manage their own account. */
export const ACCOUNT_PATH = `${CONSOLE_PATH}account`;

const SIGN_IN_PATH = `${CONSOLE_PATH}sign-in`;

/** The endpoints that sign people in to the console, and issue its tokens. */
export function consoleSessionEndpoints(deps: LoginDeps): HttpEndpoint[] {
  return [
    pageEndpoint("GET", SIGN_IN_PATH, (http) => signIn(deps, http)),
    // URLs that people try or know.
    pageEndpoint("GET", "/login", async () => redirectTo(SIGN_IN_PATH)),
    pageEndpoint("GET", "/account", async () => redirectTo(`${SIGN_IN_PATH}?to=${ACCOUNT_PATH}`)),
    pageEndpoint("GET", `${CONSOLE_PATH}test-sign-in`, (http) => testSignIn(deps, http)),
    sessionEndpoint("token", async (http) => {
      const token = await issueConsoleToken(deps, http, new BrowserCall(http));
      return jsonResponse(token);
    }),
    sessionEndpoint("end", async (http) => {
      const headers = await endConsoleSession(deps, http, new BrowserCall(http));
      return jsonResponse({}, headers);
    }),
  ];
}

function sessionEndpoint(
  name: string,
  handle: (http: HttpRequest) => Promise<HttpResponse>,
): HttpEndpoint {
  return {
    method: "POST",
    path: `${CONSOLE_PATH}session/${name}`,
    isPage: true,
    async handle(http) {
      requireSameOrigin(http);
      return handle(http);
    },
  };
}

/**
 * Shows the sign-in page, or returns at once if the person is signed in; with `again=true`, asks also those who are, before
 * what needs a recent sign-in.
 */
async function signIn(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(http.query);
  const url = returnPathOf(query.get("to"));
  const current = await consoleSessionOf(deps, http);
  const isRenewal = query.get("again") === "true";
  if (current !== undefined && !isRenewal) return redirectTo(url);
  const delivery = { kind: "console", url, renews: current ?? "" } as const;
  const { login, headers } = newLogin(deps, http, pageLoginRequest(delivery));
  const hasEnded = query.get("why") === "ended";
  return showSignIn(deps, login, hasEnded ? { notice: SESSION_ENDED } : {}, headers);
}

const SESSION_ENDED = "Your session has ended: it expired, or was ended in another browser.";

/** Leads to an identity provider, whose answer is displayed and signs nobody in. */
async function testSignIn(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const uid = new URLSearchParams(http.query).get("provider") ?? "";
  if ((await consoleSessionOf(deps, http)) === undefined) return redirectTo(SIGN_IN_PATH);
  if (!isUid(uid)) throw new WharfError("NOT_FOUND", "the identity provider does not exist");
  const { login, headers } = newLogin(deps, http, pageLoginRequest({ kind: "test" }));
  return redirectTo(await upstreamUrl(deps, http, login, uid), headers);
}

/** The longest path that a sign-in returns to: it is part of the `state` of identity providers. */
const MAX_RETURN_PATH_LENGTH = 2_048;

/** The pages that sign people in this way. */
const RETURN_PATHS = [CONSOLE_PATH, "/docs/"];

/** A path of the console or the API reference, and nothing else: a link must not lead elsewhere after a sign-in. */
function returnPathOf(to: string | null): string {
  const url = URL.parse(to ?? "", "http://console.invalid");
  const isReturnPath =
    url !== null &&
    url.host === "console.invalid" &&
    RETURN_PATHS.some((path) => url.pathname.startsWith(path)) &&
    url.href.length < MAX_RETURN_PATH_LENGTH;
  return isReturnPath ? url.pathname + url.search : CONSOLE_PATH;
}
