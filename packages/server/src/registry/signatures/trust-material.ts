import { hash, X509Certificate } from "node:crypto";
import type { TrustMaterial } from "@sigstore/verify";
import type { KeylessIdentity } from "@wharf/contract";
import { object } from "../lenient-json.ts";
import { keyOf, pemBlocks } from "./public-key.ts";

/** The part of an identity that verifies certificates. */
export type TrustRoot = Pick<
  KeylessIdentity,
  "trustedRoot" | "certificateAuthority" | "transparencyLogs" | "certificateLogs"
>;

/** Certificates and logs of one identity: each signature may be compared with all of them. */
const MAX_ENTRIES = 32;

/** An invalid trust root. The message is a predicate about the field. */
export class TrustRootError extends Error {
  override readonly name = "TrustRootError";
  readonly field: keyof TrustRoot;

  constructor(field: keyof TrustRoot, message: string) {
    super(message);
    this.field = field;
  }
}

/** The certificates and keys of an identity, as the library verifies with them. Throws TrustRootError for invalid ones. */
export async function trustMaterialOf(root: TrustRoot): Promise<TrustMaterial> {
  const [{ toTrustMaterial }, { TrustedRoot }] = await Promise.all([
    import("@sigstore/verify"),
    import("@sigstore/protobuf-specs"),
  ]);
  const field = root.trustedRoot === "" ? "certificateAuthority" : "trustedRoot";
  const json = root.trustedRoot === "" ? rootOfPem(root) : rootOfJson(root.trustedRoot);
  try {
    const parsed = TrustedRoot.fromJSON(json);
    const authorities = [...parsed.certificateAuthorities, ...parsed.timestampAuthorities];
    for (const { certChain } of authorities) {
      checkChain(field, certChain?.certificates.map(({ rawBytes }) => rawBytes) ?? []);
    }
    const { tlogs, ctlogs } = parsed;
    if (authorities.length + tlogs.length + ctlogs.length > MAX_ENTRIES) {
      throw new TrustRootError(field, `has more than ${MAX_ENTRIES} authorities and logs`);
    }
    if (parsed.certificateAuthorities.length === 0) {
      throw new TrustRootError(field, "has no certificate authority");
    }
    return toTrustMaterial(parsed);
  } catch (error) {
    if (error instanceof TrustRootError) throw error;
    throw new TrustRootError(field, `cannot be read: ${(error as Error).message}`);
  }
}

function rootOfJson(text: string): unknown {
  try {
    return object(JSON.parse(text));
  } catch {
    throw new TrustRootError("trustedRoot", "is not JSON");
  }
}

/** A trusted root of PEM blocks. Its logs have no address: their keys distinguish them. */
function rootOfPem(root: TrustRoot): unknown {
  const certificates = pemBlocks(root.certificateAuthority, "CERTIFICATE");
  if (certificates === undefined || certificates.length === 0) {
    const message = "must be certificates as PEM, unless a trusted root is set";
    throw new TrustRootError("certificateAuthority", message);
  }
  if (root.transparencyLogs.trim() === "") {
    const message = "is required: the time of a signature is that of a log";
    throw new TrustRootError("transparencyLogs", message);
  }
  const validFor = { start: new Date(0).toISOString() };
  const certChain = { certificates: certificates.map((der) => ({ rawBytes: base64(der) })) };
  return {
    certificateAuthorities: [{ certChain, validFor }],
    tlogs: logsOf("transparencyLogs", root.transparencyLogs, validFor),
    ctlogs: logsOf("certificateLogs", root.certificateLogs, validFor),
  };
}

function logsOf(field: keyof TrustRoot, text: string, validFor: object): object[] {
  const keys = pemBlocks(text, "PUBLIC KEY");
  if (keys === undefined || keys.some((der) => keyOf(der) === undefined)) {
    throw new TrustRootError(field, "must be public keys as PEM: -----BEGIN PUBLIC KEY-----");
  }
  return keys.map((der) => ({
    publicKey: { rawBytes: base64(der), validFor },
    logId: { keyId: hash("sha256", der, "base64") },
  }));
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/**
 * Rejects chains without a root, which verify nothing, and chains in which certificates have issued each other: the library
 * follows issuers without an end.
 */
function checkChain(field: keyof TrustRoot, chain: readonly Uint8Array[]): void {
  if (chain.length === 0 || chain.length > MAX_ENTRIES) {
    throw new TrustRootError(field, `must have 1 to ${MAX_ENTRIES} certificates`);
  }
  const certificates = chain.map((der) => new X509Certificate(der));
  const isRoot = (one: X509Certificate) => one.checkIssued(one) && one.verify(one.publicKey);
  if (!certificates.some(isRoot)) {
    throw new TrustRootError(field, "must have the root certificate");
  }
  let rest = certificates.filter((one) => !isRoot(one));
  for (let before = Number.POSITIVE_INFINITY; rest.length < before; ) {
    before = rest.length;
    rest = rest.filter((one) => rest.some((other) => other !== one && one.checkIssued(other)));
  }
  if (rest.length > 0) {
    throw new TrustRootError(field, "has certificates that have issued each other");
  }
}
