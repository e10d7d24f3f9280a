import { randomBytes, type webcrypto } from "node:crypto";

/** Registries that are given one certificate and forgotten keep working for as long as anyone cares. */
const YEARS = 20;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Puts a public key into a certificate that it signs itself, as PEM: the form in which registries take
 * keys. It names nobody, because nobody looks for a name.
 *
 * The library is loaded when it is needed, once in the life of a key: that takes longer than all else
 * that is done at start.
 *
 * @example const pem = await selfSigned(keys, Date.now());
 */
export async function selfSigned(keys: webcrypto.CryptoKeyPair, now: number): Promise<string> {
  // Has to come first: the library is built on it.
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // Positive, as X.509 has it.
    serialNumber: `01${randomBytes(8).toString("hex")}`,
    name: "CN=Wharf registry tokens",
    // Clocks of registries may be late.
    notBefore: new Date(now - 3_600_000),
    notAfter: until,
    signingAlgorithm: ALGORITHM,
    keys,
  });
  return `${certificate.toString("pem").trim()}\n`;
}
