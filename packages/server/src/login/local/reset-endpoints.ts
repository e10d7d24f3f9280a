import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { ensureBrowserCookie, htmlResponse, readForm } from "../browser.ts";
import { BrowserCall } from "../endpoint-call.ts";
import type { LoginDeps } from "../login.ts";
import { formErrorOf, pageEndpoint } from "../page-endpoint.ts";
import { resetPage } from "../pages/enroll.ts";
import { donePage, TO_SIGN_IN } from "../pages/messages.ts";
import type { ChallengeContext } from "./challenges.ts";
import { jsonEndpoint, type ScriptRequest } from "./json-endpoint.ts";
import { enrollPasskey, offerPasskey } from "./passkey-enrollment.ts";
import { passkeySite } from "./passkeys.ts";
import { findResetCode, RESET_PATH, resetAccount } from "./reset.ts";
import { checkPassword } from "./rules.ts";

const DONE_PATH = `${RESET_PATH}/done`;

/** The pages where people set a new password or passkey with a reset code of the operator. */
export function resetEndpoints(deps: LoginDeps, attempts: AttemptLimiter): HttpEndpoint[] {
  return [
    pageEndpoint("GET", RESET_PATH, async (http) => showForm(deps, http)),
    pageEndpoint("POST", RESET_PATH, (http) => submitForm(deps, attempts, http)),
    jsonEndpoint(`${RESET_PATH}/passkey/options`, (request) =>
      passkeyOptions(deps, attempts, request),
    ),
    jsonEndpoint(`${RESET_PATH}/passkey/verify`, (request) => verifyPasskeyResponse(deps, request)),
    pageEndpoint("GET", DONE_PATH, async () => donePageResponse()),
  ];
}

function showForm({ addresses }: LoginDeps, http: HttpRequest): HttpResponse {
  const { authUrl } = addresses();
  const { headers } = ensureBrowserCookie(http, authUrl);
  return htmlResponse(200, resetPage({ passkeySite: passkeySite(authUrl)?.origin }), headers);
}

async function submitForm(
  { store, passwords, addresses }: LoginDeps,
  attempts: AttemptLimiter,
  http: HttpRequest,
): Promise<HttpResponse> {
  await attempts.count("reset", http.remoteAddress);
  const form = await readForm(http);
  const call = new BrowserCall(http);
  const code = form.get("code") ?? "";
  try {
    const { username } = await findResetCode(store.reader, code, call.time);
    const password = form.get("password") ?? "";
    checkPassword(password, form.get("password_again") ?? "", [username]);
    await resetAccount(store, call, code, {
      passwordHash: await passwords.hash(password, call.remoteAddress),
    });
    return donePageResponse();
  } catch (thrown) {
    const site = passkeySite(addresses().authUrl)?.origin;
    const body = resetPage({ error: formErrorOf(thrown), values: { code }, passkeySite: site });
    return htmlResponse(400, body);
  }
}

async function passkeyOptions(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  request: ScriptRequest,
): Promise<object> {
  await attempts.count("reset", request.http.remoteAddress);
  const { reader } = deps.store;
  const account = await findResetCode(reader, request.text("code"), Date.now());
  return offerPasskey(deps, challengeContextOf(request), account);
}

async function verifyPasskeyResponse(deps: LoginDeps, request: ScriptRequest): Promise<object> {
  const call = new BrowserCall(request.http);
  const { passkey } = await enrollPasskey(deps, challengeContextOf(request), request, call);
  await resetAccount(deps.store, call, request.text("code"), { passkey });
  return { redirect: DONE_PATH };
}

function challengeContextOf(request: ScriptRequest): ChallengeContext {
  return { purpose: "reset", http: request.http, form: request.text("code") };
}

function donePageResponse(): HttpResponse {
  const text = "Sign in with your new password or passkey from now on.";
  return htmlResponse(200, donePage({ title: "Account reset", text, next: TO_SIGN_IN }));
}
