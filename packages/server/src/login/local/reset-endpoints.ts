import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import { htmlAnswer, markBrowser, readForm } from "../browser.ts";
import { callOf, type LoginDeps } from "../login.ts";
import { formErrorOf, pageEndpoint } from "../page-endpoint.ts";
import { resetPage } from "../pages/enroll.ts";
import { donePage } from "../pages/messages.ts";
import { type Asking, openChallenge, sealChallenge, siteOf } from "./challenges.ts";
import { jsonEndpoint, type ScriptRequest } from "./json-endpoint.ts";
import { passkeySite } from "./passkey-site.ts";
import { creationOptions, newPasskey } from "./passkeys.ts";
import { findReset, RESET_PATH, resetAccount } from "./reset.ts";
import { checkPassword } from "./rules.ts";

const DONE_PATH = `${RESET_PATH}/done`;

/** The pages on which people choose a new password or passkey, with a code of the operator. */
export function resetEndpoints(deps: LoginDeps, attempts: Attempts): HttpEndpoint[] {
  return [
    pageEndpoint("GET", RESET_PATH, async (http) => show(deps, http)),
    pageEndpoint("POST", RESET_PATH, (http) => take(deps, attempts, http)),
    jsonEndpoint(`${RESET_PATH}/passkey/options`, (request) => ask(deps, attempts, request)),
    jsonEndpoint(`${RESET_PATH}/passkey/verify`, (request) => verify(deps, request)),
    pageEndpoint("GET", DONE_PATH, async () => done()),
  ];
}

function show({ addresses }: LoginDeps, http: HttpRequest): HttpResponse {
  const { authUrl } = addresses();
  const { headers } = markBrowser(http, authUrl);
  return htmlAnswer(200, resetPage({ passkeySite: passkeySite(authUrl)?.origin }), headers);
}

async function take(
  { engine, passwords, addresses }: LoginDeps,
  attempts: Attempts,
  http: HttpRequest,
): Promise<HttpResponse> {
  attempts.count("reset", http.remoteAddress);
  const form = await readForm(http);
  const call = callOf(http);
  const code = form.get("code") ?? "";
  try {
    const { username } = await findReset(engine.store.reader, code, call.time);
    const password = form.get("password") ?? "";
    checkPassword(password, form.get("password_again") ?? "", [username]);
    await resetAccount(engine, call, code, {
      passwordHash: await passwords.hash(password, call.remoteAddress),
    });
    return done();
  } catch (thrown) {
    const site = passkeySite(addresses().authUrl)?.origin;
    const body = resetPage({ error: formErrorOf(thrown), values: { code }, passkeySite: site });
    return htmlAnswer(400, body);
  }
}

async function ask(deps: LoginDeps, attempts: Attempts, request: ScriptRequest): Promise<object> {
  attempts.count("reset", request.http.remoteAddress);
  const { reader } = deps.engine.store;
  const account = await findReset(reader, request.text("code"), Date.now());
  const options = await creationOptions(siteOf(deps), account);
  const challengeId = sealChallenge(deps, askingOf(request), options.challenge, account);
  return { options, challengeId };
}

async function verify(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const call = callOf(request.http);
  const { challenge, payload } = openChallenge<{ identity: string }>(
    deps,
    askingOf(request),
    request.text("challengeId"),
  );
  const { identity } = payload;
  const passkey = await newPasskey(siteOf(deps), challenge, request.response, identity, call);
  await resetAccount(deps.engine, call, request.text("code"), { passkey });
  return { redirect: DONE_PATH };
}

function askingOf(request: ScriptRequest): Asking {
  return { purpose: "reset", http: request.http, form: request.text("code") };
}

function done(): HttpResponse {
  const text = "Sign in with your new password or passkey from now on.";
  return htmlAnswer(200, donePage({ title: "Account reset", text }));
}
