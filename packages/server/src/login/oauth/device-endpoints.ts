import { truncateUserAgent } from "../../engine/audit/audit.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { htmlResponse, readForm } from "../browser.ts";
import { newLogin, showSignIn } from "../browser-login.ts";
import { BrowserCall } from "../endpoint-call.ts";
import { browserUrl } from "../local/passkeys.ts";
import { checkAudiences, type LoginDeps, resumeLogin, saveLogin } from "../login.ts";
import { pageEndpoint } from "../page-endpoint.ts";
import { deviceCodePage } from "../pages/consent.ts";
import { readClientId } from "./client-id.ts";
import { DEVICE_SECONDS, findDevice, startDeviceAuthorization } from "./device.ts";
import { pageLoginRequest } from "./request.ts";
import { oauthHandler } from "./token-endpoint.ts";
import { readUserCode } from "./user-code.ts";

/** The page where people enter the user code. */
const DEVICE_PATH = "/device";

/**
 * The device authorization grant (RFC 8628): the authorization endpoint and the page for user
 * codes.
 */
export function deviceEndpoints(deps: LoginDeps, attempts: AttemptLimiter): HttpEndpoint[] {
  return [
    { method: "POST", path: "/oauth/device_authorization", handle: authorize(deps, attempts) },
    pageEndpoint("GET", DEVICE_PATH, (request) => askForCode(deps, request)),
    pageEndpoint("POST", DEVICE_PATH, (request) => submitCode(deps, request, attempts)),
  ];
}

function authorize(deps: LoginDeps, attempts: AttemptLimiter): HttpEndpoint["handle"] {
  const { store, addresses } = deps;
  return oauthHandler(async (form, request) => {
    await attempts.count("device", request.remoteAddress);
    checkAudiences(deps, form.getAll("audience"));
    const call = new BrowserCall(request);
    const clientId = readClientId(deps, form);
    const device = {
      client: (form.get("client_id") ?? "a tool").slice(0, MAX_CLIENT_CHARACTERS),
      clientId,
      address: request.remoteAddress,
      userAgent: truncateUserAgent(call.userAgent),
      audiences: [...new Set(form.getAll("audience"))],
      scopes: [],
    };
    const added = await store.writeFor(call, (tx) =>
      startDeviceAuthorization(tx, device, call.time),
    );
    const uri = `${browserUrl(addresses().authUrl)}${DEVICE_PATH}`;
    return {
      device_code: added.deviceCode,
      user_code: added.userCode,
      verification_uri: uri,
      verification_uri_complete: `${uri}?user_code=${added.userCode}`,
      expires_in: DEVICE_SECONDS,
      interval: added.interval,
    };
  });
}

/** Long enough for names, too short for instructions to the user. */
const MAX_CLIENT_CHARACTERS = 64;

async function askForCode(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const { login, headers } = newLogin(deps, http, DEVICE_REQUEST);
  const userCode = new URLSearchParams(http.query).get("user_code");
  const ticket = await saveLogin(deps, login, Date.now());
  const typed = userCode === null ? {} : { userCode: readUserCode(userCode) };
  return htmlResponse(200, deviceCodePage({ login: ticket, ...typed }), headers);
}

async function submitCode(
  deps: LoginDeps,
  http: HttpRequest,
  attempts: AttemptLimiter,
): Promise<HttpResponse> {
  await attempts.count("user code", http.remoteAddress);
  const form = await readForm(http);
  const now = Date.now();
  const login = await resumeLogin(deps, http, form.get("login"), now);
  const userCode = readUserCode(form.get("user_code") ?? "");
  if ((await findDevice(deps.store.reader, userCode, now)) === undefined) {
    const error = "No device is waiting with this code. Codes expire after 15 minutes.";
    const ticket = await saveLogin(deps, login, now);
    return htmlResponse(400, deviceCodePage({ login: ticket, error }));
  }
  const request = { ...login.request, delivery: { kind: "device" as const, userCode } };
  return showSignIn(deps, { ...login, request }, {});
}

/** The request of a login that starts with a user code. */
const DEVICE_REQUEST = pageLoginRequest({ kind: "none" }, { refreshable: true });
