import { revokedToken } from "../../auth/authenticator.ts";
import { requireBearer } from "../../lib/bearer.ts";
import { unauthenticated } from "../../lib/errors.ts";
import { findSession } from "../../store/tables/login/sessions.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { isForApiOrIssuer, verifyOwnToken } from "../../sts/own-token.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { PersonClaims } from "../people/person.ts";

export const USERINFO_PATH = "/oauth/userinfo";

/** The claims of OpenID Connect that tokens and userinfo may have. */
export const CLAIMS = [
  ...["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "azp", "sid"],
  ...["email", "email_verified", "name", "given_name", "family_name", "picture"],
];

/** The userinfo endpoint (OpenID Connect Core, section 5.3), by either method. */
export function userinfoEndpoints(deps: ExchangeDeps): HttpEndpoint[] {
  return ["GET", "POST"].map((method) => ({
    method,
    path: USERINFO_PATH,
    handle: (request) => userinfo(deps, request),
  }));
}

async function userinfo(deps: ExchangeDeps, { headers }: HttpRequest): Promise<HttpResponse> {
  const token = requireBearer(headers.authorization, "the access token");
  const verified = await verifyOwnToken(deps, token, Date.now());
  // A registry that received a token must not learn more about its person.
  if (!isForApiOrIssuer(verified, deps.addresses())) throw unauthenticated('invalid "aud"');
  const { subject, session } = verified;
  const { access, store } = deps;
  if ((await access.find(subject, undefined, session)) === undefined) throw revokedToken(session);
  const found = session === "" ? undefined : await findSession(store.reader, session);
  // An identity that a person assumed is not that person.
  const person = found?.identity === subject ? (JSON.parse(found.person) as PersonClaims) : {};
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify({ sub: subject, ...claimsOf(person) }),
    caller: subject,
  };
}

/** Claims without a value are left out. */
function claimsOf({ email, profile = {} }: Partial<PersonClaims>) {
  return {
    name: profile.name,
    given_name: profile.givenName,
    family_name: profile.familyName,
    picture: profile.picture,
    email: email?.address,
    email_verified: email?.verified,
  };
}
