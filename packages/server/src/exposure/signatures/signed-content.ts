import { hash } from "node:crypto";
import type { Bundle } from "@sigstore/bundle";
import { list, object, parseJson, text } from "../../registry/lenient-json.ts";
import { bundleOfAnnotations } from "./annotated-bundle.ts";
import { SignatureRejected, type SignatureRequest } from "./signature-messages.ts";

/** A signature in its common shape. */
export interface SignedContent {
  /** The bytes that the signatures are made of. */
  readonly signed: Buffer;
  /** One of them must be valid. */
  readonly signatures: readonly Uint8Array[];
  /** The in-toto statement that is signed; undefined for a signature of the image itself. */
  readonly statement?: Buffer;
  /** With the certificate of the signer and the entries of logs, if there is one. */
  readonly bundle?: Bundle | undefined;
}

const IN_TOTO = "application/vnd.in-toto+json";
const SIMPLE_SIGNING = "cosign container image signature";

/** Signatures of one envelope that are tried. */
const MAX_SIGNATURES = 8;

/** Reads a signature of any form, and checks that what is signed names the digest, except for statements. */
export function signedContent(
  bytes: Uint8Array,
  request: SignatureRequest,
): SignedContent | Promise<SignedContent> {
  if (request.form === "bundle") return contentOfBundle(bytes, request);
  return request.form === "simple"
    ? contentOfPayload(bytes, request)
    : contentOfEnvelope(bytes, request);
}

async function contentOfBundle(
  bytes: Uint8Array,
  { manifest }: SignatureRequest,
): Promise<SignedContent> {
  const bundle = await readBundle(parseJson(bytes));
  const { content } = bundle;
  if (content.$case === "dsseEnvelope") {
    const { payload, payloadType, signatures } = content.dsseEnvelope;
    const own = signatures.map(({ sig }) => sig);
    return { ...statementIn(payloadType, payload), signatures: own, bundle };
  }
  const { messageDigest, signature } = content.messageSignature;
  if (!hash("sha256", manifest, "buffer").equals(messageDigest.digest)) {
    throw new SignatureRejected("wrong_subject", "It is a signature of something else.");
  }
  return { signed: Buffer.from(manifest), signatures: [signature], bundle };
}

/** Sizes of the parts of bundles, which the library bounds by nothing. */
const MAX_ENTRIES = 8;
const MAX_HASHES = 64;
const MAX_CHECKPOINT_LENGTH = 8_192;

async function readBundle(json: unknown): Promise<Bundle> {
  const { verificationMaterial } = object(json);
  const { tlogEntries, timestampVerificationData, x509CertificateChain } =
    object(verificationMaterial);
  const { rfc3161Timestamps } = object(timestampVerificationData);
  const lists = [tlogEntries, rfc3161Timestamps, object(x509CertificateChain).certificates];
  const isLarge =
    lists.some((one) => list(one).length > MAX_ENTRIES) || list(tlogEntries).some(hasLargeProof);
  if (isLarge) {
    throw new SignatureRejected("too_large", "It has too many log entries or certificates.");
  }
  const { bundleFromJSON } = await import("@sigstore/bundle");
  try {
    return bundleFromJSON(json);
  } catch {
    throw new SignatureRejected("malformed", "It is not a Sigstore bundle that can be read.");
  }
}

function hasLargeProof(entry: unknown): boolean {
  const { hashes, checkpoint } = object(object(entry).inclusionProof);
  const { length } = text(object(checkpoint).envelope);
  return list(hashes).length > MAX_HASHES || length > MAX_CHECKPOINT_LENGTH;
}

/** A simple signing payload names the digest; its signature is an annotation. */
async function contentOfPayload(
  bytes: Uint8Array,
  { annotations, digest }: SignatureRequest,
): Promise<SignedContent> {
  const { type, image } = object(object(parseJson(bytes)).critical);
  if (type !== SIMPLE_SIGNING) {
    throw new SignatureRejected("malformed", "The payload is not that of an image signature.");
  }
  if (object(image)["docker-manifest-digest"] !== digest) {
    throw new SignatureRejected("wrong_subject", "The payload is about another digest.");
  }
  const signature = annotations["dev.cosignproject.cosign/signature"] ?? "";
  const messageDigest = { algorithm: "SHA2_256", digest: hash("sha256", bytes, "base64") };
  const json = bundleOfAnnotations(annotations, { messageSignature: { messageDigest, signature } });
  return {
    signed: Buffer.from(bytes),
    signatures: [Buffer.from(signature, "base64")],
    bundle: json && (await readBundle(json)),
  };
}

async function contentOfEnvelope(
  bytes: Uint8Array,
  { annotations }: SignatureRequest,
): Promise<SignedContent> {
  const { payload, payloadType, signatures } = object(parseJson(bytes));
  const all = list(signatures).slice(0, MAX_SIGNATURES).map(object);
  const envelope = {
    ...{ payload: text(payload), payloadType: text(payloadType) },
    signatures: all.map(({ sig, keyid }) => ({ sig: text(sig), keyid: text(keyid) })),
  };
  const json = bundleOfAnnotations(annotations, { dsseEnvelope: envelope });
  return {
    ...statementIn(envelope.payloadType, Buffer.from(envelope.payload, "base64")),
    signatures: envelope.signatures.map(({ sig }) => Buffer.from(sig, "base64")),
    bundle: json && (await readBundle(json)),
  };
}

/** The statement in an envelope, and the bytes that are signed: DSSE signs the type with it. */
function statementIn(payloadType: string, payload: Buffer) {
  if (payloadType !== IN_TOTO || payload.length === 0) {
    throw new SignatureRejected("malformed", "It is not an in-toto statement in an envelope.");
  }
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `;
  return { statement: payload, signed: Buffer.concat([Buffer.from(head), payload]) };
}
