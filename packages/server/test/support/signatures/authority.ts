/** A certificate authority of the test, in the manner of Fulcio. */
import { createPrivateKey, createPublicKey, type webcrypto } from "node:crypto";
import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { KeyPair } from "./signing.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** The extension with the issuer of an identity. */
const ISSUER = "1.3.6.1.4.1.57264.1.8";

const DAY_MS = 86_400_000;

/** Certificates of this authority are valid for so long. */
const VALIDITY_MS = 600_000;

/** A signer with a certificate. */
export interface CertifiedKey extends KeyPair {
  readonly certificate: string;
  readonly der: string;
}

export interface Subject {
  readonly uri?: string;
  readonly email?: string;
  readonly issuer?: string;
  /** The beginning of the validity; a minute ago by default. */
  readonly from?: number;
}

export class TestAuthority {
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #root: X509Certificate;

  private constructor(keys: webcrypto.CryptoKeyPair, root: X509Certificate) {
    this.#keys = keys;
    this.#root = root;
  }

  static async create(name = "CN=authority"): Promise<TestAuthority> {
    const keys = await newKeys();
    const root = await X509CertificateGenerator.createSelfSigned({
      ...{ serialNumber: "01", name, keys, signingAlgorithm: ALGORITHM },
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new TestAuthority(keys, root);
  }

  get pem(): string {
    return this.#root.toString("pem");
  }

  /** A certificate of a name by this authority for the key of another: they may issue each other. */
  async crossSigned(name: string, other: TestAuthority): Promise<string> {
    const certificate = await X509CertificateGenerator.create({
      ...{ serialNumber: "03", subject: name, issuer: this.#root.subject },
      ...{ publicKey: other.#keys.publicKey, signingKey: this.#keys.privateKey },
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ],
    });
    return certificate.toString("pem");
  }

  /** A new key with a certificate. */
  async certify({
    uri,
    email,
    issuer,
    from = Date.now() - 60_000,
  }: Subject): Promise<CertifiedKey> {
    const keys = await newKeys();
    const names =
      uri === undefined ? { type: "email", value: email ?? "" } : { type: "url", value: uri };
    const certificate = await X509CertificateGenerator.create({
      ...{ serialNumber: "02", subject: "", issuer: this.#root.subject },
      ...{ publicKey: keys.publicKey, signingKey: this.#keys.privateKey },
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(from),
      notAfter: new Date(from + VALIDITY_MS),
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new SubjectAlternativeNameExtension([names as { type: "email"; value: string }], true),
        await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...(issuer === undefined ? [] : [new Extension(ISSUER, false, utf8(issuer))]),
      ],
    });
    const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
    const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
    const publicKey = createPublicKey(privateKey);
    return {
      ...{
        privateKey,
        publicKey,
        pem: publicKey.export({ type: "spki", format: "pem" }) as string,
      },
      certificate: certificate.toString("pem"),
      der: Buffer.from(certificate.rawData).toString("base64"),
    };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as never;
}

/** A UTF8String in DER. */
function utf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text);
  return Uint8Array.from([0x0c, bytes.length, ...bytes]);
}
