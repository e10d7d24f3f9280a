import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { decodeBech32, encodeBech32 } from "./bech32.ts";
import { KEY_BYTES, RECIPIENT, recipientBytes } from "./recipient.ts";
import { base64, fromBase64, hkdf, openKey, type Stanza, sealKey } from "./stanza.ts";

/** Keys of recipients: writing a file needs the public one only. */

const IDENTITY = "age-secret-key-";
const TYPE = "X25519";
const INFO = "age-encryption.org/v1/X25519";

/** What precedes the raw bytes of a key in DER. */
const SPKI = Buffer.from("302a300506032b656e032100", "hex");
const PKCS8 = Buffer.from("302e020100300506032b656e04220420", "hex");

export interface Identity {
  readonly recipient: string;
  /** The private key, as in the identity files of age. */
  readonly secret: string;
}

export function createIdentity(): Identity {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const secret = rawOf(privateKey.export({ format: "der", type: "pkcs8" }));
  return {
    recipient: encodeBech32(RECIPIENT, publicBytes(publicKey)),
    secret: encodeBech32(IDENTITY, secret).toUpperCase(),
  };
}

/** The public key of a recipient, `age1…`; undefined if it is not one. */
export function readRecipient(text: string): KeyObject | undefined {
  const bytes = recipientBytes(text);
  if (bytes === undefined) return undefined;
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: "der", type: "spki" });
}

/** The private key `AGE-SECRET-KEY-1…`; undefined if it is not one. */
export function readIdentity(text: string): KeyObject | undefined {
  const bytes = decodeBech32(IDENTITY, text);
  if (bytes?.length !== KEY_BYTES) return undefined;
  return createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: "der", type: "pkcs8" });
}

export function sealForRecipient(fileKey: Buffer, recipient: KeyObject): Stanza {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const share = publicBytes(publicKey);
  const key = wrapKey(privateKey, recipient, share, publicBytes(recipient));
  return { type: TYPE, args: [base64(share)], body: sealKey(key, fileKey) };
}

/** The key of a file; undefined if the stanza is for another recipient. */
export function openWithIdentity({ type, args, body }: Stanza, identity: KeyObject) {
  const share = type === TYPE && args.length === 1 ? fromBase64(args[0] as string) : undefined;
  if (share?.length !== KEY_BYTES) return undefined;
  const peer = createPublicKey({ key: Buffer.concat([SPKI, share]), format: "der", type: "spki" });
  const own = publicBytes(createPublicKey(identity));
  return openKey(wrapKey(identity, peer, share, own), body);
}

function wrapKey(privateKey: KeyObject, publicKey: KeyObject, share: Buffer, recipient: Buffer) {
  const secret = diffieHellman({ privateKey, publicKey });
  return hkdf(secret, Buffer.concat([share, recipient]), INFO);
}

function publicBytes(key: KeyObject): Buffer {
  return rawOf(key.export({ format: "der", type: "spki" }));
}

function rawOf(der: Buffer): Buffer {
  return der.subarray(-KEY_BYTES);
}
