/**
 * The account page, where people manage their own credentials and sessions. Imports local, pages
 * and people.
 */
import { SessionsService } from "@wharf/contract";
import { Mutation } from "../../engine/write/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import { accountOf, passkeysOf } from "../../store/tables/login/local-accounts.ts";
import { findSessionForChange, listSessions } from "../../store/tables/login/sessions.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { htmlResponse, readForm, redirectTo } from "../browser.ts";
import { newLogin, showSignIn } from "../browser-login.ts";
import { BrowserCall } from "../endpoint-call.ts";
import { jsonEndpoint } from "../local/json-endpoint.ts";
import { passkeySite } from "../local/passkeys.ts";
import type { LoginDeps } from "../login.ts";
import { pageLoginRequest } from "../oauth/request.ts";
import { formErrorOf, pageEndpoint } from "../page-endpoint.ts";
import { accountPage, type Done, isDone } from "../pages/account.ts";
import { donePage, TO_SIGN_IN } from "../pages/messages.ts";
import { endSessionOf, endSessionsOf, ownSessions } from "../people/sessions-service.ts";
import {
  addAccountPasskey,
  passkeyCreationOptions,
  removePasskey,
  renameAccountPasskey,
} from "./passkeys.ts";
import { changePassword } from "./password.ts";
import {
  ACCOUNT_PATH,
  confirmVisit,
  endVisit,
  findVisit,
  type OpenVisit,
  requireVisit,
  restoreVisit,
} from "./visit.ts";

/** As many as people read. */
const MAX_SESSIONS_SHOWN = 50;

/** Opening the account issues no tokens and does not register people. */
const ACCOUNT_REQUEST = pageLoginRequest({ kind: "account" }, { knownOnly: true });

/** The page where people manage their own account, and its form actions. */
export function accountEndpoints(deps: LoginDeps, attempts: AttemptLimiter): HttpEndpoint[] {
  const action = (path: string, done: Done, work: FormAction) =>
    pageEndpoint("POST", `${ACCOUNT_PATH}${path}`, (http) => handleForm(deps, http, done, work));
  return [
    pageEndpoint("GET", ACCOUNT_PATH, (http) => showAccount(deps, http)),
    // A URL that people try first.
    pageEndpoint("GET", "/login", async () => redirectTo(ACCOUNT_PATH)),
    action("/password", "password", async (call, visit, text) => {
      await attempts.count("password", call.remoteAddress);
      const [current, password, again] = [
        text("current"),
        text("password"),
        text("password_again"),
      ];
      await changePassword(deps, call, visit, { current, password, again });
    }),
    jsonEndpoint(`${ACCOUNT_PATH}/passkeys/options`, (request) =>
      passkeyCreationOptions(deps, request),
    ),
    jsonEndpoint(`${ACCOUNT_PATH}/passkeys/verify`, (request) => addAccountPasskey(deps, request)),
    action("/passkeys/name", "named", (call, visit, text) =>
      renameAccountPasskey(deps, call, visit, text("passkey"), text("name")),
    ),
    action("/passkeys/remove", "removed", (call, visit, text) =>
      removePasskey(deps, call, visit, text("passkey")),
    ),
    action("/sessions/end", "ended", (call, visit, text) =>
      endSession(deps, call, visit, text("session")),
    ),
    action("/sessions/end-all", "ended-all", (call, visit) => endSessions(deps, call, visit)),
    pageEndpoint("POST", `${ACCOUNT_PATH}/leave`, (http) => signOut(deps, http)),
  ];
}

/** The action of a form, for the person of the visit. */
type FormAction = (call: Call, visit: OpenVisit, text: (name: string) => string) => Promise<void>;

/** Shows the account during a visit, otherwise the sign-in page. */
async function showAccount(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const visit = await findVisit(deps, http, Date.now());
  if (visit === undefined) {
    const { login, headers } = newLogin(deps, http, ACCOUNT_REQUEST);
    return showSignIn(deps, login, {}, headers);
  }
  const done = new URLSearchParams(http.query).get("done") ?? "";
  return htmlResponse(200, await pageFor(deps, visit, isDone(done) ? { done } : {}));
}

/** Runs the action of a form. Shows errors that people can correct above the form. */
async function handleForm(
  deps: LoginDeps,
  http: HttpRequest,
  done: Done,
  work: FormAction,
): Promise<HttpResponse> {
  const form = await readForm(http);
  const call = new BrowserCall(http);
  const visit = await requireVisit(deps, http, form.get("login"), call.time);
  try {
    await work(call, visit, (name) => form.get(name) ?? "");
    return redirectTo(`${ACCOUNT_PATH}?done=${done}`);
  } catch (thrown) {
    return htmlResponse(400, await pageFor(deps, visit, { error: formErrorOf(thrown) }));
  }
}

async function endSession(
  deps: LoginDeps,
  given: Call,
  visit: OpenVisit,
  id: string,
): Promise<void> {
  const call = { ...given, method: SessionsService.method.endSession };
  await deps.store.write(async (tx) => {
    await confirmVisit(tx, visit, call.time);
    const session = await findSessionForChange(tx, id);
    // Ignores sessions that have ended already, and those of others.
    const own = ownSessions(visit.identity, visit);
    if (session?.identity !== own.identity) return;
    if (own.provider !== undefined && session.provider !== own.provider) return;
    await endSessionOf(new Mutation(call, tx, deps, { actor: visit.identity }), session);
  });
}

async function endSessions(deps: LoginDeps, given: Call, visit: OpenVisit): Promise<void> {
  const call = { ...given, method: SessionsService.method.logout };
  await deps.store.write(async (tx) => {
    await confirmVisit(tx, visit, call.time);
    const change = new Mutation(call, tx, deps, { actor: visit.identity });
    await endSessionsOf(change, ownSessions(visit.identity, visit));
    await restoreVisit(tx, visit);
  });
}

async function signOut(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const now = Date.now();
  const headers = await endVisit(deps, await requireVisit(deps, http, form.get("login"), now), now);
  const text = "Your command-line sessions stay active.";
  return htmlResponse(200, donePage({ title: "Signed out", text, next: TO_SIGN_IN }), headers);
}

async function pageFor(
  { catalog, store, addresses }: LoginDeps,
  visit: OpenVisit,
  message: { readonly error?: string; readonly done?: Done },
): Promise<string> {
  const { reader } = store;
  const { identity, provider, name, form } = visit;
  const account = await accountOf(reader, identity);
  const from = provider === "" ? undefined : await catalog.identityProviders.find(reader, provider);
  const now = Date.now();
  const sessions = await listSessions(
    reader,
    ownSessions(identity, visit),
    undefined,
    MAX_SESSIONS_SHOWN + 1,
    now,
  );
  return accountPage({
    form,
    ...message,
    name,
    identity,
    provider: from?.name,
    local: account && {
      hasPassword: account.passwordHash !== "",
      passkeys: await passkeysOf(reader, identity),
      passkeySite: passkeySite(addresses().authUrl)?.origin,
    },
    sessions: sessions.slice(0, MAX_SESSIONS_SHOWN),
    hasMoreSessions: sessions.length > MAX_SESSIONS_SHOWN,
  });
}
