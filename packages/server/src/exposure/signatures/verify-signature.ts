import { hash, type KeyObject, verify } from "node:crypto";
import { keyOf, pemBlocks } from "../../registry/signatures/public-key.ts";
import { readAttestations } from "../sboms/attestations.ts";
import {
  type SignatureReading,
  SignatureRejected,
  type SignatureRequest,
  type TrustedKey,
} from "./signature-messages.ts";
import { type SignedContent, signedContent } from "./signed-content.ts";
import { claimedIdentity, verifyKeyless } from "./verify-keyless.ts";

const NOTHING = { key: undefined, predicateType: "", subject: "", issuer: "", time: 0 };

/** Verifies a signature with the keys. It changes nothing, and asks nobody: what it needs is in the arguments. */
export async function verifySignature(
  bytes: Uint8Array,
  request: SignatureRequest,
): Promise<SignatureReading> {
  let reading: Omit<SignatureReading, "description"> = NOTHING;
  try {
    const content = await signedContent(bytes, request);
    if (content.bundle !== undefined) {
      reading = { ...reading, ...(await claimedIdentity(content.bundle)) };
    }
    reading = { ...reading, predicateType: await predicateTypeOf(content, request.digest) };
    return { ...reading, ...(await verifyWith(request.keys, content)), description: "" };
  } catch (error) {
    const { problem, message } =
      error instanceof SignatureRejected
        ? error
        : { problem: "malformed" as const, message: `It cannot be read: ${messageOf(error)}.` };
    return { ...reading, problem, description: message };
  }
}

const MAX_MESSAGE_LENGTH = 500;

function messageOf(error: unknown): string {
  return String((error as Error)?.message)
    .slice(0, MAX_MESSAGE_LENGTH)
    .toWellFormed();
}

/** The type of the statement, which must be about the digest; empty for a signature of the image itself. */
async function predicateTypeOf({ statement }: SignedContent, digest: string): Promise<string> {
  if (statement === undefined) return "";
  const [one, ...others] = await readAttestations(chunksOf(statement), new Set([digest]));
  if (one === undefined || others.length > 0 || one.predicateType === "") {
    throw new SignatureRejected("malformed", "It is not one in-toto statement.");
  }
  if (!one.subjects.includes(digest)) {
    throw new SignatureRejected("wrong_subject", "The statement is about other digests.");
  }
  return one.predicateType;
}

async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function verifyWith(
  keys: readonly TrustedKey[],
  content: SignedContent,
): Promise<Pick<SignatureReading, "key"> & Partial<SignatureReading>> {
  if (keys.length === 0) {
    throw new SignatureRejected("no_keys", "No group above the image has a verification key.");
  }
  const key = keys.find(({ publicKey }) => publicKey !== "" && isSignedBy(publicKey, content));
  if (key !== undefined) return { key };
  const identities = keys.filter(({ keyless }) => keyless !== undefined);
  const { bundle, signed } = content;
  const material = bundle?.verificationMaterial.content;
  if (bundle !== undefined && material?.$case !== "publicKey" && identities.length > 0) {
    return verifyKeyless(identities, bundle, signed);
  }
  const hint = material?.$case === "publicKey" ? material.publicKey.hint : undefined;
  if (hint !== undefined && keys.some((one) => hintOf(one) === hint)) {
    const message = "It names a verification key, but is not valid with it.";
    throw new SignatureRejected("invalid_signature", message);
  }
  throw new SignatureRejected("untrusted", "No verification key of the groups above made it.");
}

/** The name of a public key in bundles. */
function hintOf({ publicKey }: TrustedKey): string | undefined {
  const [der] = pemBlocks(publicKey, "PUBLIC KEY") ?? [];
  return der && hash("sha256", der, "base64");
}

/** Whether one of the signatures is valid with a public key. */
function isSignedBy(publicKey: string, { signed, signatures }: SignedContent): boolean {
  const [der] = pemBlocks(publicKey, "PUBLIC KEY") ?? [];
  const key = der && keyOf(der);
  if (key === undefined) return false;
  return hashesFor(key).some((name) =>
    signatures.some((signature) => verify(name, signed, key, signature)),
  );
}

/** The hashes of larger curves: Sigstore signs with SHA-256 or with that of the curve. */
const HASHES: Readonly<Record<string, string>> = { secp384r1: "sha384", secp521r1: "sha512" };

/** The hashes that a key may sign with; Ed25519 has its own. */
function hashesFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): (string | null)[] {
  if (asymmetricKeyType === "ed25519") return [null];
  if (asymmetricKeyType === "rsa") return ["sha256", "sha384", "sha512"];
  const own = HASHES[asymmetricKeyDetails?.namedCurve ?? ""];
  return own === undefined ? ["sha256"] : ["sha256", own];
}
