import { decodeJwt } from "jose";
import type { SigningKeys } from "../../auth/keys.ts";
import type { StoredSignIn } from "../../auth/recent-sign-in.ts";
import { signJwt } from "../../auth/sign.ts";
import type { StoredSession } from "../../store/tables/login/sessions.ts";

/** The client that an ID token is for. */
export interface IdTokenRequest {
  readonly clientId: string;
  /** Repeated in the token, so that the client recognizes the answer to its own request; empty for none. */
  readonly nonce?: string;
}

/**
 * Makes an ID token (OpenID Connect Core, section 2) of an access token for the issuer, so that both say the same of the
 * person. It is for the client and for the issuer: existing clients exchange it here.
 */
export function signIdToken(
  keys: SigningKeys,
  accessToken: string,
  { person }: StoredSession,
  { clientId, nonce = "" }: IdTokenRequest,
): string {
  const { aud, ...claims } = decodeJwt(accessToken);
  const issuer = String(aud);
  const { signedIn = 0 } = JSON.parse(person) as StoredSignIn;
  return signJwt(keys.keyFor([issuer]), {
    ...claims,
    aud: clientId === "" || clientId === issuer ? issuer : [clientId, issuer],
    ...(clientId !== "" && { azp: clientId }),
    ...(nonce !== "" && { nonce }),
    ...(signedIn > 0 && { auth_time: Math.floor(signedIn / 1000) }),
  });
}
