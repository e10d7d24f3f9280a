import type { TokenSource } from "@wharf/client";
import { createWharf, type Wharf } from "@wharf/client";
import type { Messages } from "../terminal/messages.ts";
import { version } from "../version.ts";
import type { Login } from "./cache/login.ts";

/** The API that a login was made for, which need not be the one of this command. */
export function clientOf(
  { api, issuer }: Pick<Login, "api" | "issuer">,
  token: TokenSource,
  { detail }: Pick<Messages, "detail">,
): Wharf {
  return createWharf({
    baseUrl: api,
    authUrl: issuer,
    token,
    userAgent: `wharf/${version()}`,
    onRequest: ({ method, url, status, ms }) =>
      detail(`${method} ${url} → ${status} in ${ms.toFixed(0)} ms (Authorization: Bearer ****)`),
  });
}
