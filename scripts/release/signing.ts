/**
 * Signatures as Sigstore bundles, with a key instead of a certificate: what `cosign verify-blob --key` and
 * `cosign verify --key` read.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { StepError } from "../step.ts";
import type { Statement } from "./provenance.ts";

export const BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json";
export const STATEMENT_TYPE = "application/vnd.in-toto+json";

/** A private key that signs a release. */
export class Signer {
  readonly #key: KeyObject;
  readonly #hint: string;
  /** The public key, as PEM. */
  readonly publicKey: string;

  private constructor(key: KeyObject) {
    this.#key = key;
    const publicKey = createPublicKey(key);
    this.publicKey = publicKey.export({ type: "spki", format: "pem" }) as string;
    this.#hint = sha256(publicKey.export({ type: "spki", format: "der" })).toString("base64");
  }

  /** The signer with the key in WHARF_SIGNING_KEY; undefined without one. */
  static from({ WHARF_SIGNING_KEY }: NodeJS.ProcessEnv): Signer | undefined {
    if (!WHARF_SIGNING_KEY) return undefined;
    const expected = "WHARF_SIGNING_KEY: expected an ECDSA P-256 private key as unencrypted PEM";
    let key: KeyObject;
    try {
      key = createPrivateKey(WHARF_SIGNING_KEY);
    } catch {
      throw new StepError(expected);
    }
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new StepError(expected);
    return new Signer(key);
  }

  /** The signature of content, as openssl verifies it. */
  sign(content: Buffer): Buffer {
    return sign("sha256", content, this.#key);
  }

  /** The bundle with the signature of a file. */
  fileBundle(content: Buffer, signature: Buffer): object {
    const digest = sha256(content).toString("base64");
    return this.#bundle({
      messageSignature: {
        messageDigest: { algorithm: "SHA2_256", digest },
        signature: signature.toString("base64"),
      },
    });
  }

  /** The bundle with a signed statement, as a DSSE envelope. */
  statementBundle(statement: Statement): object {
    const payload = Buffer.from(JSON.stringify(statement));
    const lengths = [STATEMENT_TYPE.length, payload.length];
    const head = `DSSEv1 ${lengths[0]} ${STATEMENT_TYPE} ${lengths[1]} `;
    const sig = this.sign(Buffer.concat([Buffer.from(head), payload])).toString("base64");
    return this.#bundle({
      dsseEnvelope: {
        payload: payload.toString("base64"),
        payloadType: STATEMENT_TYPE,
        signatures: [{ sig }],
      },
    });
  }

  #bundle(content: object): object {
    const verificationMaterial = { publicKey: { hint: this.#hint } };
    return { mediaType: BUNDLE_TYPE, verificationMaterial, ...content };
  }
}

function sha256(content: Buffer): Buffer {
  return createHash("sha256").update(content).digest();
}
