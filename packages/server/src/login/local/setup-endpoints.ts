import { newRootUid } from "@wharf/contract";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import { htmlAnswer, markBrowser, readForm } from "../browser.ts";
import { callOf, type LoginParts } from "../login.ts";
import { pageEndpoint } from "../page-endpoint.ts";
import { setupPage } from "../pages/account.ts";
import { donePage } from "../pages/outcome.ts";
import { type Asking, openChallenge, sealChallenge, siteOf } from "./challenges.ts";
import { jsonEndpoint, type ScriptRequest } from "./json-endpoint.ts";
import { passkeySite } from "./passkey-site.ts";
import { creationOptions, newPasskey } from "./passkeys.ts";
import { hashPassword } from "./password.ts";
import { checkPassword, readOrganisation, readUsername } from "./rules.ts";
import { checkSetupCode, type FirstAccount, mustBeFirstRun, SETUP_PATH, setUp } from "./setup.ts";
import { slipOf } from "./slip.ts";

const DONE_PATH = `${SETUP_PATH}/done`;

/** The pages of the first run, which answer NOT_FOUND once it is over. */
export function setupEndpoints(parts: LoginParts, attempts: Attempts): HttpEndpoint[] {
  return [
    pageEndpoint("GET", SETUP_PATH, (http) => show(parts, http)),
    pageEndpoint("POST", SETUP_PATH, (http) => take(parts, attempts, http)),
    jsonEndpoint(`${SETUP_PATH}/passkey/options`, (request) => ask(parts, attempts, request)),
    jsonEndpoint(`${SETUP_PATH}/passkey/verify`, (request) => verify(parts, request)),
    pageEndpoint("GET", DONE_PATH, async () => done()),
  ];
}

async function show(parts: LoginParts, http: HttpRequest): Promise<HttpResponse> {
  await mustBeFirstRun(parts.engine);
  const { authUrl } = parts.addresses();
  const { headers } = markBrowser(http, authUrl);
  return htmlAnswer(200, setupPage({ passkeySite: passkeySite(authUrl)?.origin }), headers);
}

async function take(
  parts: LoginParts,
  attempts: Attempts,
  http: HttpRequest,
): Promise<HttpResponse> {
  attempts.count("setup", http.remoteAddress);
  const { engine } = parts;
  const form = await readForm(http);
  const call = callOf(http);
  await mustBeFirstRun(engine);
  const text = (name: string) => form.get(name) ?? "";
  try {
    await checkSetupCode(engine, text("code"), call.time);
    const first = readFirst(text);
    const password = text("password");
    checkPassword(password, text("password_again"), [first.username, first.organisation]);
    await setUp(engine, call, text("code"), first, {
      passwordHash: await hashPassword(password, call.remoteAddress),
    });
    return done();
  } catch (thrown) {
    const values = {
      code: text("code"),
      organisation: text("organisation"),
      username: text("username"),
    };
    const site = passkeySite(parts.addresses().authUrl)?.origin;
    return htmlAnswer(400, setupPage({ error: slipOf(thrown), values, passkeySite: site }));
  }
}

function readFirst(text: (name: string) => string): FirstAccount {
  return {
    identity: newRootUid(),
    organisation: readOrganisation(text("organisation")),
    username: readUsername(text("username")),
  };
}

async function ask(parts: LoginParts, attempts: Attempts, request: ScriptRequest): Promise<object> {
  attempts.count("setup", request.http.remoteAddress);
  await mustBeFirstRun(parts.engine);
  await checkSetupCode(parts.engine, request.text("code"), Date.now());
  const first = readFirst(request.text);
  const options = await creationOptions(siteOf(parts), first);
  const challengeId = sealChallenge(parts, askingOf(request), options.challenge, first);
  return { options, challengeId };
}

async function verify(parts: LoginParts, request: ScriptRequest): Promise<object> {
  const { engine } = parts;
  const call = callOf(request.http);
  await mustBeFirstRun(engine);
  const { challenge, payload: first } = openChallenge<FirstAccount>(
    parts,
    askingOf(request),
    request.text("challengeId"),
  );
  const { identity } = first;
  const passkey = await newPasskey(siteOf(parts), challenge, request.response, identity, call);
  await setUp(engine, call, request.text("code"), first, { passkey });
  return { redirect: DONE_PATH };
}

function askingOf(request: ScriptRequest): Asking {
  return { purpose: "setup", http: request.http, form: request.text("code") };
}

function done(): HttpResponse {
  const text = "Your organisation and your account are ready. Sign in with: wharf auth login";
  return htmlAnswer(200, donePage({ title: "Wharf is set up", text }));
}
