import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { addTicket } from "../../store/tables/login/tickets.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { htmlResponse, newSecret } from "../browser.ts";
import { startConsoleSession } from "../console/session.ts";
import type { LoginDeps } from "../login.ts";
import { continuePage, donePage, TO_ACCOUNT } from "../pages/messages.ts";
import type { Person } from "../people/person.ts";
import { approveDevice } from "./device.ts";
import { sealTokenForTool } from "./headless.ts";
import type { LoginRequest } from "./request.ts";

/** The content of an authorization code. */
export interface CodeTicket {
  readonly request: LoginRequest;
  readonly person: Person;
  /** The session, once the code is redeemed. A second use of the code ends it. */
  readonly session?: string;
}

/** The client is waiting for the code. */
const CODE_TTL_MS = 60_000;

/** Finishes a login: delivers its result to the requester. */
export async function finishLogin(
  deps: LoginDeps,
  call: Call,
  request: LoginRequest,
  person: Person,
): Promise<HttpResponse> {
  const { delivery } = request;
  switch (delivery.kind) {
    case "code":
      return redirectPage(delivery.redirect, {
        code: await issueCode(deps, call, { request, person }),
        ...(delivery.state === "" ? {} : { state: delivery.state }),
        iss: deps.addresses().authUrl,
      });
    case "redirect":
      return deliverTokens(deps, call, request, delivery.redirect, person);
    case "headless":
      await sealTokenForTool(deps, call, delivery.code, request, person);
      return deviceSignedIn();
    case "device":
      await approveDevice(deps, call, delivery.userCode, person);
      return deviceSignedIn();
    case "console":
      return startConsoleSession(deps, call, person, delivery);
    case "test":
      throw new WharfError("PERMISSION_DENIED", "a test of an identity provider signs nobody in");
    case "none":
      return htmlResponse(
        200,
        donePage({
          title: "You are signed in",
          text: "Your account is registered.",
          next: TO_ACCOUNT,
          api: deps.addresses().baseUrl,
        }),
      );
  }
}

/** Reports a failed login to a client at a loopback address; undefined if there is none. */
export function finishLoginWithError(
  { addresses }: LoginDeps,
  { delivery }: LoginRequest,
  error: WharfError,
): HttpResponse | undefined {
  if (delivery.kind === "code") {
    const { state } = delivery;
    return redirectPage(delivery.redirect, {
      error: error.code === "UNAVAILABLE" ? "temporarily_unavailable" : "access_denied",
      error_description: error.message,
      ...(state === "" ? {} : { state }),
      iss: addresses().authUrl,
    });
  }
  if (delivery.kind !== "redirect") return undefined;
  return redirectPage(delivery.redirect, failureOf(error));
}

async function issueCode(
  { store }: LoginDeps,
  { time }: Call,
  payload: CodeTicket,
): Promise<string> {
  const secret = newSecret();
  const expires = time + CODE_TTL_MS;
  const { identity, provider } = payload.person;
  await store.write((tx) =>
    addTicket(tx, { purpose: "code", secret, payload, expires, identity, provider }),
  );
  return secret;
}

async function deliverTokens(
  deps: LoginDeps,
  call: Call,
  request: LoginRequest,
  redirect: string,
  person: Person,
): Promise<HttpResponse> {
  try {
    return redirectPage(redirect, await tokensFor(deps, call, request, person));
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (error.code === "INTERNAL") throw error;
    return redirectPage(redirect, failureOf(error));
  }
}

function failureOf({ message, httpStatus }: WharfError): Record<string, string> {
  return { error: message, status_code: String(httpStatus) };
}

async function tokensFor(
  { store, sessions }: LoginDeps,
  call: Call,
  request: LoginRequest,
  person: Person,
): Promise<Record<string, string>> {
  const { audiences, refreshable } = request;
  const session = await store.writeFor(call, (tx) => sessions.open(tx, call, person, request));
  const tokenRequest = { audiences, scopes: [], capabilities: [] };
  const { token } = await sessions.firstToken(call, session, tokenRequest);
  const refresh = refreshable ? sessions.refreshToken(session, call.time) : undefined;
  return { token, ...(refresh ? { refresh_token: refresh.token } : {}) };
}

/**
 * The parameters of success and of failure, of which a result has either the ones or the others. Existing clients ask
 * for `?token=true&error=true` and take any `token` for a success, so placeholders must not stay.
 */
const RESULT_PARAMETERS = [
  ...["code", "error", "error_description"],
  ...["token", "refresh_token", "status_code"],
];

/** A page instead of a redirect: browsers apply `form-action` to redirects that follow a form. */
function redirectPage(address: string, parameters: Record<string, string>): HttpResponse {
  const url = new URL(address);
  for (const name of RESULT_PARAMETERS) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const message = { title: "Redirecting", text: "Returning to your command-line tool." };
  return htmlResponse(200, continuePage({ ...message, url: url.href }));
}

function deviceSignedIn(): HttpResponse {
  const text = "The device continues within a few seconds.";
  const done = { title: "Device signed in", text, next: TO_ACCOUNT, canClose: true };
  return htmlResponse(200, donePage(done));
}
