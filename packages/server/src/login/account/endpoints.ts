import { SessionsService } from "@wharf/contract";
import { Mutation } from "../../engine/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import { accountOf } from "../../store/tables/local-accounts.ts";
import { passkeysOf } from "../../store/tables/passkeys.ts";
import { findSessionForChange, listSessions } from "../../store/tables/sessions.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import { htmlAnswer, readForm, redirectTo } from "../browser.ts";
import { choose, newLogin } from "../browser-login.ts";
import { jsonEndpoint } from "../local/json-endpoint.ts";
import { passkeySite } from "../local/passkey-site.ts";
import { callOf, type LoginDeps } from "../login.ts";
import type { LoginRequest } from "../oauth/request.ts";
import { formErrorOf, pageEndpoint } from "../page-endpoint.ts";
import { accountPage, type Done, isDone } from "../pages/account.ts";
import { donePage } from "../pages/messages.ts";
import { endAll, endOne, ownSessions } from "../people/sessions-service.ts";
import { addOneMore, askForOneMore, nameOnePasskey, removePasskey } from "./passkeys.ts";
import { changePassword } from "./password.ts";
import {
  ACCOUNT_PATH,
  confirmVisit,
  endVisit,
  findVisit,
  goOn,
  type OpenVisit,
  visitOf,
} from "./visit.ts";

/** As many sessions as fit on a page that people read to the end. */
const MOST_SESSIONS = 50;

/** Whoever only looks at their account gets no tokens, and nobody is registered by it. */
const TO_ACCOUNT: LoginRequest = {
  delivery: { kind: "account" },
  provider: "",
  invite: "",
  audiences: [],
  scopes: [],
  refreshable: false,
  knownOnly: true,
};

/** The page on which people look after their own account, and what its forms do. */
export function accountEndpoints(deps: LoginDeps, attempts: Attempts): HttpEndpoint[] {
  const act = (path: string, done: Done, work: Act) =>
    pageEndpoint("POST", `${ACCOUNT_PATH}${path}`, (http) => perform(deps, http, done, work));
  return [
    pageEndpoint("GET", ACCOUNT_PATH, (http) => enter(deps, http)),
    // What people try first.
    pageEndpoint("GET", "/login", async () => redirectTo(ACCOUNT_PATH)),
    act("/password", "password", async (call, visit, text) => {
      attempts.count("password", call.remoteAddress);
      const [current, password, again] = [
        text("current"),
        text("password"),
        text("password_again"),
      ];
      await changePassword(deps, call, visit, { current, password, again });
    }),
    jsonEndpoint(`${ACCOUNT_PATH}/passkeys/options`, (request) => askForOneMore(deps, request)),
    jsonEndpoint(`${ACCOUNT_PATH}/passkeys/verify`, (request) => addOneMore(deps, request)),
    act("/passkeys/name", "named", (call, visit, text) =>
      nameOnePasskey(deps, call, visit, text("passkey"), text("name")),
    ),
    act("/passkeys/remove", "removed", (call, visit, text) =>
      removePasskey(deps, call, visit, text("passkey")),
    ),
    act("/sessions/end", "ended", (call, visit, text) =>
      endSession(deps, call, visit, text("session")),
    ),
    act("/sessions/end-all", "ended-all", (call, visit) => endSessions(deps, call, visit)),
    pageEndpoint("POST", `${ACCOUNT_PATH}/leave`, (http) => leave(deps, http)),
  ];
}

/** What a form does for the person whose visit it is. */
type Act = (call: Call, visit: OpenVisit, text: (name: string) => string) => Promise<void>;

/** Shows the account to whoever has just signed in, and lets all others sign in. */
async function enter(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const visit = await findVisit(deps, http, Date.now());
  if (visit === undefined) {
    const { login, headers } = newLogin(deps, http, TO_ACCOUNT);
    return choose(deps, login, {}, headers);
  }
  const done = new URLSearchParams(http.query).get("done") ?? "";
  return htmlAnswer(200, await pageFor(deps, visit, isDone(done) ? { done } : {}));
}

/** Does what a form asks for. What people can put right is told above the form that they have sent. */
async function perform(
  deps: LoginDeps,
  http: HttpRequest,
  done: Done,
  work: Act,
): Promise<HttpResponse> {
  const form = await readForm(http);
  const call = callOf(http);
  const visit = await visitOf(deps, http, form.get("login"), call.time);
  try {
    await work(call, visit, (name) => form.get(name) ?? "");
    return redirectTo(`${ACCOUNT_PATH}?done=${done}`);
  } catch (thrown) {
    return htmlAnswer(400, await pageFor(deps, visit, { error: formErrorOf(thrown) }));
  }
}

async function endSession(
  { engine }: LoginDeps,
  given: Call,
  visit: OpenVisit,
  id: string,
): Promise<void> {
  const call = { ...given, method: SessionsService.method.endSession };
  await engine.store.write(async (tx) => {
    await confirmVisit(tx, visit, call.time);
    const session = await findSessionForChange(tx, id);
    // One that is gone is what was wanted; one of someone else is none of theirs.
    const own = ownSessions(visit.identity, visit);
    if (session?.identity !== own.identity) return;
    if (own.provider !== undefined && session.provider !== own.provider) return;
    await endOne(new Mutation(call, tx, engine, { actor: visit.identity }), session);
  });
}

async function endSessions({ engine }: LoginDeps, given: Call, visit: OpenVisit): Promise<void> {
  const call = { ...given, method: SessionsService.method.logout };
  await engine.store.write(async (tx) => {
    await confirmVisit(tx, visit, call.time);
    const change = new Mutation(call, tx, engine, { actor: visit.identity });
    await endAll(change, ownSessions(visit.identity, visit));
    await goOn(tx, visit);
  });
}

async function leave(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const now = Date.now();
  const headers = await endVisit(deps, await visitOf(deps, http, form.get("login"), now), now);
  const text = "Your command-line sessions stay active.";
  return htmlAnswer(200, donePage({ title: "Signed out", text }), headers);
}

async function pageFor(
  { engine, addresses }: LoginDeps,
  visit: OpenVisit,
  told: { readonly error?: string; readonly done?: Done },
): Promise<string> {
  const { reader } = engine.store;
  const { identity, provider, name, form } = visit;
  const account = await accountOf(reader, identity);
  const from =
    provider === "" ? undefined : await engine.catalog.identityProviders.find(reader, provider);
  const now = Date.now();
  const sessions = await listSessions(
    reader,
    ownSessions(identity, visit),
    undefined,
    MOST_SESSIONS + 1,
    now,
  );
  return accountPage({
    form,
    ...told,
    name,
    identity,
    provider: from?.name,
    local: account && {
      hasPassword: account.passwordHash !== "",
      passkeys: await passkeysOf(reader, identity),
      passkeySite: passkeySite(addresses().authUrl)?.origin,
    },
    sessions: sessions.slice(0, MOST_SESSIONS),
    hasMoreSessions: sessions.length > MOST_SESSIONS,
  });
}
