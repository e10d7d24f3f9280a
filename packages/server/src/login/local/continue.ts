import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { signedIn } from "../browser-login.ts";
import { callOf, type LoginDeps, resumeLogin } from "../login.ts";
import { afterJoining, afterSignIn } from "../steps.ts";

/** Where the script sends the browser once a passkey has said who it is. */
export const CONTINUE_PATH = "/oauth/continue";

/** The address at which a login goes on that waits under a ticket. */
export function continueAt(ticket: string): string {
  return `${CONTINUE_PATH}?login=${ticket}`;
}

/** Goes on with a login whose person is known. */
export async function continueLogin(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const call = callOf(http);
  const ticket = new URLSearchParams(http.query).get("login");
  const login = signedIn(await resumeLogin(deps, http, ticket, call.time));
  return login.joined ? afterJoining(deps, call, login) : afterSignIn(deps, call, login);
}
