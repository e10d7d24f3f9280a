import { randomBytes, type webcrypto } from "node:crypto";

/** Registries configured with one certificate keep working without maintenance. */
const VALIDITY_YEARS = 20;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * A self-signed certificate of a public key, as PEM: the form in which registries read keys. Its subject
 * names no host, as registries do not check it.
 *
 * The library is loaded on first use, once per key: loading it takes longer than everything else at
 * start.
 */
export async function selfSigned(keys: webcrypto.CryptoKeyPair, now: number): Promise<string> {
  // @peculiar/x509 requires this polyfill to be loaded first.
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + VALIDITY_YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // X.509 requires a positive number.
    serialNumber: `01${randomBytes(8).toString("hex")}`,
    name: "CN=Wharf registry tokens",
    // The clock of a registry may be behind.
    notBefore: new Date(now - 3_600_000),
    notAfter: until,
    signingAlgorithm: ALGORITHM,
    keys,
  });
  return `${certificate.toString("pem").trim()}\n`;
}
