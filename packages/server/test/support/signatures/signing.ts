/** Signatures of images as cosign makes them, with keys of the test. */
import {
  createHash,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";

export const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
export const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
export const ENVELOPE = "application/vnd.dsse.envelope.v1+json";
const IN_TOTO = "application/vnd.in-toto+json";

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** The public key. */
  readonly pem: string;
}

/** A key pair: of a curve, Ed25519, or RSA with a number of bits. */
export function keyPair(kind: "P-256" | "P-384" | "P-521" | "ed25519" | number = "P-256"): KeyPair {
  const { publicKey, privateKey } =
    typeof kind === "number"
      ? generateKeyPairSync("rsa", { modulusLength: kind })
      : kind === "ed25519"
        ? generateKeyPairSync("ed25519")
        : generateKeyPairSync("ec", { namedCurve: kind });
  return {
    publicKey,
    privateKey,
    pem: publicKey.export({ type: "spki", format: "pem" }) as string,
  };
}

export function derOf({ publicKey }: Pick<KeyPair, "publicKey">): Buffer {
  return publicKey.export({ type: "spki", format: "der" });
}

export function signatureOf(
  key: Pick<KeyPair, "privateKey">,
  bytes: Buffer,
  name?: string,
): Buffer {
  const isEdwards = key.privateKey.asymmetricKeyType === "ed25519";
  return sign(isEdwards ? null : (name ?? "sha256"), bytes, key.privateKey);
}

/** The payload that cosign signs before bundles. */
export function payloadOf(digest: string, critical: object = {}): Buffer {
  const identity = { "docker-reference": "registry.example.com/acme/app" };
  const image = { "docker-manifest-digest": digest };
  const type = "cosign container image signature";
  return Buffer.from(
    JSON.stringify({ critical: { identity, image, type, ...critical }, optional: null }),
  );
}

/** A layer of a tag `.sig`. */
export function simpleSignature(
  key: Pick<KeyPair, "privateKey">,
  payload: Buffer,
  annotations: Readonly<Record<string, string>> = {},
) {
  const signature = signatureOf(key, payload).toString("base64");
  return {
    mediaType: SIMPLE_SIGNING,
    content: payload,
    annotations: { "dev.cosignproject.cosign/signature": signature, ...annotations },
  };
}

/** An in-toto statement about a digest. */
export function statementOf(
  digest: string,
  predicateType = "https://slsa.dev/provenance/v1",
): Buffer {
  const [algorithm = "", hex = ""] = digest.split(":");
  return Buffer.from(
    JSON.stringify({
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "acme/app", digest: { [algorithm]: hex } }],
      predicateType,
      predicate: { buildDefinition: {} },
    }),
  );
}

/** The bytes that DSSE signs. */
function encoded(payload: Buffer): Buffer {
  const head = `DSSEv1 ${IN_TOTO.length} ${IN_TOTO} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** A DSSE envelope of a statement. */
export function envelopeOf(key: Pick<KeyPair, "privateKey">, statement: Buffer, name?: string) {
  const sig = signatureOf(key, encoded(statement), name).toString("base64");
  return {
    payload: statement.toString("base64"),
    payloadType: IN_TOTO,
    signatures: [{ sig, keyid: "" }],
  };
}

/** A bundle that names a public key, as cosign 3 writes it. */
export function keyBundle(
  key: KeyPair,
  content: object,
  material: object = {},
): Record<string, unknown> {
  const hint = hash("sha256", derOf(key), "base64");
  return {
    mediaType: BUNDLE,
    verificationMaterial: { publicKey: { hint }, tlogEntries: [], ...material },
    ...content,
  };
}

/** The content of a bundle that signs bytes as they are: the manifest of an image. */
export function messageOf(key: Pick<KeyPair, "privateKey">, bytes: Buffer) {
  const digest = createHash("sha256").update(bytes).digest("base64");
  const signature = signatureOf(key, bytes).toString("base64");
  return { messageSignature: { messageDigest: { algorithm: "SHA2_256", digest }, signature } };
}

/** A transparency log of the test, in the manner of Rekor: a tree of one entry for each signature. */
export class TestLog {
  readonly key = keyPair();
  readonly #name = "rekor.example.com";

  get id(): Buffer {
    return createHash("sha256").update(derOf(this.key)).digest();
  }

  /** The entry of a signature of bytes, as a bundle has it. */
  entry(signature: string, signed: Buffer, time: number, certificate: string) {
    const publicKey = { content: Buffer.from(certificate).toString("base64") };
    const spec = {
      data: { hash: { algorithm: "sha256", value: hash("sha256", signed, "hex") } },
      signature: { content: signature, publicKey },
    };
    return this.#entryOf("hashedrekord", spec, time);
  }

  /** The entry of an envelope. */
  envelopeEntry(envelope: ReturnType<typeof envelopeOf>, time: number, certificate: string) {
    const verifier = Buffer.from(certificate).toString("base64");
    const value = hash("sha256", Buffer.from(envelope.payload, "base64"), "hex");
    const spec = {
      payloadHash: { algorithm: "sha256", value },
      signatures: envelope.signatures.map(({ sig }) => ({ signature: sig, verifier })),
    };
    return this.#entryOf("dsse", spec, time);
  }

  #entryOf(kind: string, spec: object, time: number) {
    const body = Buffer.from(JSON.stringify({ apiVersion: "0.0.1", kind, spec }));
    const promised = {
      body: body.toString("base64"),
      integratedTime: Math.floor(time / 1_000),
      logID: this.id.toString("hex"),
      logIndex: 7,
    };
    const promise = signatureOf(this.key, Buffer.from(JSON.stringify(promised)));
    const root = createHash("sha256")
      .update(Buffer.from([0]))
      .update(body)
      .digest("base64");
    const note = `${this.#name} - 1\n1\n${root}\n`;
    const signed = Buffer.concat([
      this.id.subarray(0, 4),
      signatureOf(this.key, Buffer.from(note)),
    ]);
    const checkpoint = `${note}\n\u2014 ${this.#name} ${signed.toString("base64")}\n`;
    return {
      logIndex: "7",
      logId: { keyId: this.id.toString("base64") },
      kindVersion: { kind, version: "0.0.1" },
      integratedTime: String(promised.integratedTime),
      inclusionPromise: { signedEntryTimestamp: promise.toString("base64") },
      inclusionProof: {
        ...{ logIndex: "0", rootHash: root, treeSize: "1", hashes: [] },
        checkpoint: { envelope: checkpoint },
      },
      canonicalizedBody: promised.body,
    };
  }
}

/** The annotation of cosign for an entry of a log. */
export function annotationOf(entry: ReturnType<TestLog["entry"]>): string {
  const { canonicalizedBody: body, integratedTime, logIndex, logId, inclusionPromise } = entry;
  return JSON.stringify({
    SignedEntryTimestamp: inclusionPromise.signedEntryTimestamp,
    Payload: {
      body,
      integratedTime: Number(integratedTime),
      logIndex: Number(logIndex),
      logID: Buffer.from(logId.keyId, "base64").toString("hex"),
    },
  });
}

/** Text that nobody else has. */
export function nonce(): string {
  return randomBytes(8).toString("hex");
}
