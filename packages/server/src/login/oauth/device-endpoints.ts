import { truncateUserAgent } from "../../engine/audit.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { Attempts } from "../attempts.ts";
import { htmlAnswer, readForm } from "../browser.ts";
import { choose, newLogin } from "../browser-login.ts";
import {
  callOf,
  checkAudiences,
  keepLogin,
  type Login,
  type LoginDeps,
  resumeLogin,
} from "../login.ts";
import { pageEndpoint } from "../page-endpoint.ts";
import { deviceCodePage } from "../pages/consent.ts";
import { DEVICE_SECONDS, findDevice, startDeviceAuthorization } from "./device.ts";
import { oauthHandler } from "./token-endpoint.ts";
import { readUserCode } from "./user-code.ts";

/** Where people type the code that a tool shows them. */
const DEVICE_PATH = "/device";

/** The device flow of RFC 8628: where a tool asks for a code, and where a person types it. */
export function deviceEndpoints(deps: LoginDeps, attempts: Attempts): HttpEndpoint[] {
  return [
    { method: "POST", path: "/oauth/device_authorization", handle: authorize(deps, attempts) },
    pageEndpoint("GET", DEVICE_PATH, (request) => askForCode(deps, request)),
    pageEndpoint("POST", DEVICE_PATH, (request) => takeCode(deps, request, attempts)),
  ];
}

function authorize(deps: LoginDeps, attempts: Attempts): HttpEndpoint["handle"] {
  const { engine, addresses } = deps;
  return oauthHandler(async (form, request) => {
    attempts.count("device", request.remoteAddress);
    checkAudiences(deps, form.getAll("audience"));
    const call = callOf(request);
    const device = {
      client: (form.get("client_id") ?? "a tool").slice(0, LONGEST_CLIENT),
      address: request.remoteAddress,
      userAgent: truncateUserAgent(call.userAgent),
      audiences: [...new Set(form.getAll("audience"))],
      scopes: [],
    };
    const added = await engine.store.write((tx) => startDeviceAuthorization(tx, device, call.time));
    const uri = `${addresses().authUrl}${DEVICE_PATH}`;
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

/** Long enough for any name, too short for a story. */
const LONGEST_CLIENT = 64;

async function askForCode(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const { login, headers } = newLogin(deps, http, NOTHING_YET);
  const userCode = new URLSearchParams(http.query).get("user_code");
  const ticket = await keepLogin(deps, login, Date.now());
  const typed = userCode === null ? {} : { userCode: readUserCode(userCode) };
  return htmlAnswer(200, deviceCodePage({ login: ticket, ...typed }), headers);
}

async function takeCode(
  deps: LoginDeps,
  http: HttpRequest,
  attempts: Attempts,
): Promise<HttpResponse> {
  attempts.count("user code", http.remoteAddress);
  const form = await readForm(http);
  const now = Date.now();
  const login = await resumeLogin(deps, http, form.get("login"), now);
  const userCode = readUserCode(form.get("user_code") ?? "");
  if ((await findDevice(deps.engine.store.reader, userCode, now)) === undefined) {
    const error = "No device is waiting with this code. Codes expire after 15 minutes.";
    const ticket = await keepLogin(deps, login, now);
    return htmlAnswer(400, deviceCodePage({ login: ticket, error }));
  }
  const request = { ...login.request, delivery: { kind: "device" as const, userCode } };
  return choose(deps, { ...login, request }, {});
}

/** A login that begins with a code to type. */
const NOTHING_YET: Login["request"] = {
  delivery: { kind: "none" },
  provider: "",
  invite: "",
  audiences: [],
  scopes: [],
  refreshable: true,
  knownOnly: false,
};
