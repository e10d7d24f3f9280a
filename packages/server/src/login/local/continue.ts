import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { signedIn } from "../browser-login.ts";
import { callOf, type LoginParts, resumeLogin } from "../login.ts";
import { afterJoining, afterSignIn } from "../steps.ts";

/** Where the script sends the browser once a passkey has said who it is. */
export const CONTINUE_PATH = "/oauth/continue";

/** The address at which a login goes on that waits under a ticket. */
export function continueAt(ticket: string): string {
  return `${CONTINUE_PATH}?login=${ticket}`;
}

/** Goes on with a login whose person is known. */
export async function continueLogin(parts: LoginParts, http: HttpRequest): Promise<HttpResponse> {
  const call = callOf(http);
  const ticket = new URLSearchParams(http.query).get("login");
  const login = signedIn(await resumeLogin(parts, http, ticket, call.time));
  return login.joined ? afterJoining(parts, call, login) : afterSignIn(parts, call, login);
}
