import type { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { putTicket } from "../../store/tables/tickets.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { enterAccount } from "../account/visit.ts";
import { htmlAnswer, newSecret } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import { continuePage, donePage } from "../pages/messages.ts";
import type { Person } from "../people/person.ts";
import { approveDevice } from "./device.ts";
import { sealForTool } from "./headless.ts";
import type { LoginRequest } from "./request.ts";

/** What a one-time code at the end of a login stands for. */
export interface CodeTicket {
  readonly request: LoginRequest;
  readonly person: Person;
  /** Set once it has been redeemed: whoever comes with it again ends that session. */
  readonly session?: string;
}

/** The tool that gets a code is waiting for it. */
const CODE_MS = 60_000;

/** Ends a login: gives what was asked for to whoever asked for it. */
export async function deliver(
  deps: LoginDeps,
  call: Call,
  request: LoginRequest,
  person: Person,
): Promise<HttpResponse> {
  const { delivery } = request;
  switch (delivery.kind) {
    case "code":
      return onward(delivery.redirect, {
        code: await leaveCode(deps, call, { request, person }),
        ...(delivery.state === "" ? {} : { state: delivery.state }),
        iss: deps.addresses().authUrl,
      });
    case "redirect":
      return onward(delivery.redirect, await tokensFor(deps, call, request, person));
    case "headless":
      await sealForTool(deps, call, delivery.code, request.scopes, person);
      return toolIsSignedIn();
    case "device":
      await approveDevice(deps, call, delivery.userCode, person);
      return toolIsSignedIn();
    case "account":
      return enterAccount(deps, call, person);
    case "none":
      return htmlAnswer(
        200,
        donePage({ title: "You are signed in", text: "Your account is registered." }),
      );
  }
}

/**
 * Tells the tool that waits at a loopback address that the login failed; undefined where none does.
 */
export function deliverError(
  { addresses }: LoginDeps,
  { delivery }: LoginRequest,
  { code, message, httpStatus }: WharfError,
): HttpResponse | undefined {
  if (delivery.kind === "code") {
    const { state } = delivery;
    const error = code === "UNAVAILABLE" ? "temporarily_unavailable" : "access_denied";
    return onward(delivery.redirect, {
      error,
      error_description: message,
      ...(state === "" ? {} : { state }),
      iss: addresses().authUrl,
    });
  }
  if (delivery.kind !== "redirect") return undefined;
  return onward(delivery.redirect, { error: message, status_code: String(httpStatus) });
}

async function leaveCode(
  { engine }: LoginDeps,
  { time }: Call,
  payload: CodeTicket,
): Promise<string> {
  const secret = newSecret();
  const expires = time + CODE_MS;
  const { identity, provider } = payload.person;
  await engine.store.write((tx) =>
    putTicket(tx, { purpose: "code", secret, payload, expires, identity, provider }),
  );
  return secret;
}

async function tokensFor(
  { engine, sessions }: LoginDeps,
  call: Call,
  { audiences, scopes, refreshable }: LoginRequest,
  person: Person,
): Promise<Record<string, string>> {
  const session = await engine.store.write((tx) => sessions.open(tx, call, person, scopes));
  const wanted = { audiences, scopes, capabilities: [] };
  const { token } = await sessions.accessToken(session, wanted, call.time);
  const refresh = refreshable ? sessions.refreshToken(session, call.time) : undefined;
  return { token, ...(refresh ? { refresh_token: refresh.token } : {}) };
}

/** By a page, not a redirect: browsers hold the rules for forms against what a form redirects to. */
function onward(address: string, parameters: Record<string, string>): HttpResponse {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const words = { title: "Redirecting", text: "Returning to your command-line tool." };
  return htmlAnswer(200, continuePage({ ...words, url: url.href }));
}

function toolIsSignedIn(): HttpResponse {
  const text = "The device continues within a few seconds.";
  return htmlAnswer(200, donePage({ title: "Device signed in", text }));
}
