import { newRootUid } from "@wharf/contract";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { ensureBrowserCookie, htmlResponse, readForm } from "../browser.ts";
import { BrowserCall } from "../endpoint-call.ts";
import type { LoginDeps } from "../login.ts";
import { formErrorOf, pageEndpoint } from "../page-endpoint.ts";
import { ORGANIZATION_FIELD } from "../pages/components.ts";
import { setupPage } from "../pages/enroll.ts";
import { donePage, TO_CONSOLE } from "../pages/messages.ts";
import type { ChallengeContext } from "./challenges.ts";
import { jsonEndpoint, type ScriptRequest } from "./json-endpoint.ts";
import { enrollPasskey, offerPasskey } from "./passkey-enrollment.ts";
import { passkeySite } from "./passkeys.ts";
import { checkPassword, parseOrganizationName, parseUsername } from "./rules.ts";
import {
  checkSetupCode,
  completeSetup,
  type FirstAccount,
  requireFirstRun,
  SETUP_PATH,
} from "./setup.ts";

const DONE_PATH = `${SETUP_PATH}/done`;

/** The setup pages, which respond NOT_FOUND once setup is done. */
export function setupEndpoints(deps: LoginDeps, attempts: AttemptLimiter): HttpEndpoint[] {
  return [
    pageEndpoint("GET", SETUP_PATH, (http) => showForm(deps, http)),
    pageEndpoint("POST", SETUP_PATH, (http) => submitForm(deps, attempts, http)),
    jsonEndpoint(`${SETUP_PATH}/passkey/options`, (request) =>
      passkeyOptions(deps, attempts, request),
    ),
    jsonEndpoint(`${SETUP_PATH}/passkey/verify`, (request) => verifyPasskeyResponse(deps, request)),
    pageEndpoint("GET", DONE_PATH, async () => donePageResponse(deps)),
  ];
}

async function showForm(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  await requireFirstRun(deps);
  const { authUrl } = deps.addresses();
  const { headers } = ensureBrowserCookie(http, authUrl);
  return htmlResponse(200, setupPage({ passkeySite: passkeySite(authUrl)?.origin }), headers);
}

async function submitForm(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  http: HttpRequest,
): Promise<HttpResponse> {
  await attempts.count("setup", http.remoteAddress);
  const { store } = deps;
  const form = await readForm(http);
  const call = new BrowserCall(http);
  await requireFirstRun(deps);
  const text = (name: string) => form.get(name) ?? "";
  try {
    await checkSetupCode(store, text("code"), call.time);
    const first = readFirst(text);
    const password = text("password");
    checkPassword(password, text("password_again"), [first.username, first.organization]);
    await completeSetup(deps, call, text("code"), first, {
      passwordHash: await deps.passwords.hash(password, call.remoteAddress),
    });
    return donePageResponse(deps);
  } catch (thrown) {
    const values = {
      code: text("code"),
      organization: text(ORGANIZATION_FIELD),
      username: text("username"),
    };
    const site = passkeySite(deps.addresses().authUrl)?.origin;
    return htmlResponse(400, setupPage({ error: formErrorOf(thrown), values, passkeySite: site }));
  }
}

function readFirst(text: (name: string) => string): FirstAccount {
  return {
    identity: newRootUid(),
    organization: parseOrganizationName(text(ORGANIZATION_FIELD)),
    username: parseUsername(text("username")),
  };
}

async function passkeyOptions(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  request: ScriptRequest,
): Promise<object> {
  await attempts.count("setup", request.http.remoteAddress);
  await requireFirstRun(deps);
  await checkSetupCode(deps.store, request.text("code"), Date.now());
  const first = readFirst(request.text);
  return offerPasskey(deps, challengeContextOf(request), first);
}

async function verifyPasskeyResponse(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const call = new BrowserCall(request.http);
  await requireFirstRun(deps);
  const context = challengeContextOf(request);
  const { account, passkey } = await enrollPasskey<FirstAccount>(deps, context, request, call);
  await completeSetup(deps, call, request.text("code"), account, { passkey });
  return { redirect: DONE_PATH };
}

function challengeContextOf(request: ScriptRequest): ChallengeContext {
  return { purpose: "setup", http: request.http, form: request.text("code") };
}

function donePageResponse({ addresses }: LoginDeps): HttpResponse {
  const text = "Your organization and your account are ready.";
  const done = { title: "Wharf is set up", text, next: TO_CONSOLE, api: addresses().baseUrl };
  return htmlResponse(200, donePage(done));
}
