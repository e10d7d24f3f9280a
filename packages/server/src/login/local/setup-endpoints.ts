import { newRootUid } from "@wharf/contract";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import { htmlAnswer, markBrowser, readForm } from "../browser.ts";
import { callOf, type LoginDeps } from "../login.ts";
import { formErrorOf, pageEndpoint } from "../page-endpoint.ts";
import { ORGANIZATION_FIELD } from "../pages/components.ts";
import { setupPage } from "../pages/enroll.ts";
import { donePage } from "../pages/messages.ts";
import { type Asking, openChallenge, sealChallenge, siteOf } from "./challenges.ts";
import { jsonEndpoint, type ScriptRequest } from "./json-endpoint.ts";
import { passkeySite } from "./passkey-site.ts";
import { creationOptions, newPasskey } from "./passkeys.ts";
import { checkPassword, readOrganization, readUsername } from "./rules.ts";
import { checkSetupCode, type FirstAccount, mustBeFirstRun, SETUP_PATH, setUp } from "./setup.ts";

const DONE_PATH = `${SETUP_PATH}/done`;

/** The pages of the first run, which answer NOT_FOUND once it is over. */
export function setupEndpoints(deps: LoginDeps, attempts: Attempts): HttpEndpoint[] {
  return [
    pageEndpoint("GET", SETUP_PATH, (http) => show(deps, http)),
    pageEndpoint("POST", SETUP_PATH, (http) => take(deps, attempts, http)),
    jsonEndpoint(`${SETUP_PATH}/passkey/options`, (request) => ask(deps, attempts, request)),
    jsonEndpoint(`${SETUP_PATH}/passkey/verify`, (request) => verify(deps, request)),
    pageEndpoint("GET", DONE_PATH, async () => done()),
  ];
}

async function show(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  await mustBeFirstRun(deps);
  const { authUrl } = deps.addresses();
  const { headers } = markBrowser(http, authUrl);
  return htmlAnswer(200, setupPage({ passkeySite: passkeySite(authUrl)?.origin }), headers);
}

async function take(deps: LoginDeps, attempts: Attempts, http: HttpRequest): Promise<HttpResponse> {
  attempts.count("setup", http.remoteAddress);
  const { engine } = deps;
  const form = await readForm(http);
  const call = callOf(http);
  await mustBeFirstRun(deps);
  const text = (name: string) => form.get(name) ?? "";
  try {
    await checkSetupCode(engine, text("code"), call.time);
    const first = readFirst(text);
    const password = text("password");
    checkPassword(password, text("password_again"), [first.username, first.organization]);
    await setUp(deps, call, text("code"), first, {
      passwordHash: await deps.passwords.hash(password, call.remoteAddress),
    });
    return done();
  } catch (thrown) {
    const values = {
      code: text("code"),
      organization: text(ORGANIZATION_FIELD),
      username: text("username"),
    };
    const site = passkeySite(deps.addresses().authUrl)?.origin;
    return htmlAnswer(400, setupPage({ error: formErrorOf(thrown), values, passkeySite: site }));
  }
}

function readFirst(text: (name: string) => string): FirstAccount {
  return {
    identity: newRootUid(),
    organization: readOrganization(text(ORGANIZATION_FIELD)),
    username: readUsername(text("username")),
  };
}

async function ask(deps: LoginDeps, attempts: Attempts, request: ScriptRequest): Promise<object> {
  attempts.count("setup", request.http.remoteAddress);
  await mustBeFirstRun(deps);
  await checkSetupCode(deps.engine, request.text("code"), Date.now());
  const first = readFirst(request.text);
  const options = await creationOptions(siteOf(deps), first);
  const challengeId = sealChallenge(deps, askingOf(request), options.challenge, first);
  return { options, challengeId };
}

async function verify(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const call = callOf(request.http);
  await mustBeFirstRun(deps);
  const { challenge, payload: first } = openChallenge<FirstAccount>(
    deps,
    askingOf(request),
    request.text("challengeId"),
  );
  const { identity } = first;
  const passkey = await newPasskey(siteOf(deps), challenge, request.response, identity, call);
  await setUp(deps, call, request.text("code"), first, { passkey });
  return { redirect: DONE_PATH };
}

function askingOf(request: ScriptRequest): Asking {
  return { purpose: "setup", http: request.http, form: request.text("code") };
}

function done(): HttpResponse {
  const text = "Your organization and your account are ready. To sign in, run: wharf auth login";
  return htmlAnswer(200, donePage({ title: "Wharf is set up", text }));
}
