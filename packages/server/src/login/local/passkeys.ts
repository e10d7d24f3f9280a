import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { clientName } from "@wharf/contract";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { isLoopbackHost } from "../../lib/net/loopback.ts";
import type { Call } from "../../rpc/call.ts";
import type { StoredPasskey } from "../../store/tables/login/local-accounts.ts";
import type { LoginDeps } from "../login.ts";

/** The site at which passkeys are created and used: they are bound to a name, and browsers hold them to it. */
export interface PasskeySite {
  /** The name that they are bound to. */
  readonly rpId: string;
  /** The one origin whose pages may use them. */
  readonly origin: string;
}

/**
 * The site that belongs to the auth URL; undefined at an IP address, where there are no passkeys.
 * This machine has a name for itself, so its own addresses are no obstacle.
 */
export function passkeySite(authUrl: string): PasskeySite | undefined {
  const { hostname, origin } = new URL(browserUrl(authUrl));
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return undefined;
  return { rpId: hostname, origin };
}

/** The auth URL as people should open it: by name where it is an address of this machine. */
export function browserUrl(authUrl: string): string {
  const url = new URL(authUrl);
  if (isLoopbackHost(url.hostname)) url.hostname = "localhost";
  return url.href.replace(/\/+$/, "");
}

/** The passkey site; throws if this server has none. */
export function requirePasskeySite({ addresses }: LoginDeps): PasskeySite {
  const site = passkeySite(addresses().authUrl);
  if (site !== undefined) return site;
  throw new WharfError(
    "FAILED_PRECONDITION",
    "passkeys require a host name, but this server is reached by an IP address",
  );
}

/** Loaded lazily: a few hundred kilobytes that only passkeys need. */
const library = () => import("@simplewebauthn/server");

/**
 * The options to create a discoverable passkey with user verification (fingerprint, face or PIN). Devices that have one
 * of the registered passkeys do not create another.
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

/** The options to use any passkey of this site. */
export async function requestOptions({
  rpId,
}: PasskeySite): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({ rpID: rpId, userVerification: "required" });
}

/** Verifies a new passkey: created for this site and this challenge. */
export async function verifyNewPasskey(
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
  if (registrationInfo === undefined) throw passkeyRejected();
  const { credential, credentialBackedUp } = registrationInfo;
  return {
    credentialId: credential.id,
    identity,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: (credential.transports ?? []).join(","),
    backedUp: credentialBackedUp ? 1 : 0,
    name: clientName(call.userAgent),
    created: call.time,
    used: call.time,
  };
}

/**
 * Verifies the use of a passkey for this site and this challenge, and returns its new state. A
 * counter that decreases means that the passkey was cloned.
 */
export async function verifyPasskey(
  { rpId, origin }: PasskeySite,
  challenge: string,
  response: unknown,
  known: StoredPasskey,
  now: number,
): Promise<Pick<StoredPasskey, "credentialId" | "counter" | "backedUp" | "used">> {
  const { verifyAuthenticationResponse } = await library();
  const assertion = response as AuthenticationResponseJSON;
  const { verified: good, authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response: assertion,
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
  const handle = Buffer.from(assertion.response.userHandle ?? "", "base64url").toString("utf8");
  if (!good || handle !== known.identity) throw passkeyRejected();
  return {
    credentialId: known.credentialId,
    counter: authenticationInfo.newCounter,
    backedUp: authenticationInfo.credentialBackedUp ? 1 : 0,
    used: now,
  };
}

/** The credential id in a response; empty if it is malformed. */
export function passkeyIdOf(response: unknown): string {
  const { id } = (response ?? {}) as { id?: unknown };
  return typeof id === "string" && /^[\w-]+$/.test(id) ? id : "";
}

/** Hides the library's errors, which are meant for programmers. */
async function verified<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw passkeyRejected(error);
  }
}

/** The same error for every invalid passkey. */
export function passkeyRejected(cause?: unknown): WharfError {
  const text = "this passkey was not accepted";
  if (cause === undefined) return unauthenticated(text);
  return new WharfError("UNAUTHENTICATED", text, undefined, cause);
}
