import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { StoredPasskey } from "../../store/tables/passkeys.ts";
import { browserName } from "../pages/components.ts";
import type { PasskeySite } from "./passkey-site.ts";

/** The library is some hundred kilobytes that only passkeys need. */
const library = () => import("@simplewebauthn/server");

/**
 * What a browser needs to make a passkey. It finds it again without being told a username, and
 * asks for a finger, a face or a PIN. A device that has one of those that are known makes no other.
 */
export async function creationOptions(
  { rpId }: PasskeySite,
  { identity, username }: { readonly identity: string; readonly username: string },
  known: readonly string[] = [],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: "Wharf",
    rpID: rpId,
    userName: username,
    userDisplayName: username,
    userID: new Uint8Array(Buffer.from(identity, "utf8")),
    attestationType: "none",
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** What a browser needs to use a passkey, whichever it has for this site. */
export async function requestOptions({
  rpId,
}: PasskeySite): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({ rpID: rpId, userVerification: "required" });
}

/** The passkey that a browser has made, once it is sure that it was made for us, now. */
export async function newPasskey(
  { rpId, origin }: PasskeySite,
  challenge: string,
  response: unknown,
  identity: string,
  call: Call,
): Promise<StoredPasskey> {
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verified(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    }),
  );
  if (registrationInfo === undefined) throw refused();
  const { credential, credentialBackedUp } = registrationInfo;
  return {
    credentialId: credential.id,
    identity,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: (credential.transports ?? []).join(","),
    backedUp: credentialBackedUp ? 1 : 0,
    name: browserName(call.userAgent),
    created: call.time,
    used: call.time,
  };
}

/**
 * What is new about a passkey that was used, once it is sure that it was used for us, now. One
 * whose counter goes back has a twin that someone else uses.
 */
export async function usedPasskey(
  { rpId, origin }: PasskeySite,
  challenge: string,
  response: unknown,
  known: StoredPasskey,
  now: number,
): Promise<Pick<StoredPasskey, "credentialId" | "counter" | "backedUp" | "used">> {
  const { verifyAuthenticationResponse } = await library();
  const given = response as AuthenticationResponseJSON;
  const { verified: good, authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response: given,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: known.credentialId,
        publicKey: new Uint8Array(known.publicKey),
        counter: known.counter,
        transports: known.transports.split(",").filter(Boolean) as AuthenticatorTransport[],
      },
    }),
  );
  const handle = Buffer.from(given.response.userHandle ?? "", "base64url").toString("utf8");
  if (!good || handle !== known.identity) throw refused();
  return {
    credentialId: known.credentialId,
    counter: authenticationInfo.newCounter,
    backedUp: authenticationInfo.credentialBackedUp ? 1 : 0,
    used: now,
  };
}

/** The id of the passkey that an answer claims to be of; empty when it is in no form for one. */
export function passkeyIdOf(response: unknown): string {
  const { id } = (response ?? {}) as { id?: unknown };
  return typeof id === "string" && /^[\w-]+$/.test(id) ? id : "";
}

/** The library throws at everything that is wrong, in words for programmers. */
async function verified<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refused(error);
  }
}

/** The one answer to every passkey that is not good. */
export function refused(cause?: unknown): WharfError {
  const text = "this passkey was not accepted";
  if (cause === undefined) return unauthenticated(text);
  return new WharfError("UNAUTHENTICATED", text, undefined, cause);
}
