import type { Bundle } from "@sigstore/bundle";
import type { SignedEntity, Signer, TrustMaterial } from "@sigstore/verify";
import type { KeylessIdentity } from "@wharf/contract";
import { globMatches } from "@wharf/contract/glob";
import { trustMaterialOf } from "../../registry/signatures/trust-material.ts";
import {
  type SignatureProblem,
  type SignatureReading,
  SignatureRejected,
  type TrustedKey,
} from "./signature-messages.ts";

/** The subject and the issuer in a certificate. */
type Identity = Pick<SignatureReading, "subject" | "issuer">;

/** The extension of Fulcio with the issuer, as text in DER. */
const ISSUER = "1.3.6.1.4.1.57264.1.8";

/** Failures, the earliest first: of those of several identities, the one that came furthest is reported. */
const STAGES: readonly SignatureProblem[] = [
  "no_trusted_time",
  "untrusted_certificate",
  "certificate_expired",
  "not_logged",
  "invalid_signature",
  "other_identity",
];

/** Verifies a signature with the certificate in its bundle. Throws SignatureRejected unless one of the identities has made it. */
export async function verifyKeyless(
  keys: readonly TrustedKey[],
  bundle: Bundle,
  signed: Buffer,
): Promise<Pick<SignatureReading, "key" | "time"> & Identity> {
  const failures: SignatureRejected[] = [];
  for (const key of keys) {
    try {
      const found = await verifyWith(key.keyless as KeylessIdentity, bundle, signed);
      return { key, ...found };
    } catch (error) {
      if (!(error instanceof SignatureRejected)) throw error;
      failures.push(error);
    }
  }
  const stageOf = ({ problem }: SignatureRejected) => STAGES.indexOf(problem);
  throw failures.reduce((one, other) => (stageOf(other) > stageOf(one) ? other : one));
}

async function verifyWith(
  keyless: KeylessIdentity,
  bundle: Bundle,
  signed: Buffer,
): Promise<Identity & { time: number }> {
  const { toSignedEntity, Verifier } = await import("@sigstore/verify");
  const entity = toSignedEntity(bundle, signed);
  const trusted = withNamedLogs(await trustMaterialOf(keyless), bundle);
  const verifier = new Verifier(trusted, {
    timestampThreshold: 1,
    tlogThreshold: trusted.tlogs.length > 0 ? 1 : 0,
    ctlogThreshold: trusted.ctlogs.length > 0 ? 1 : 0,
  });
  const time = timeOf(entity);
  let signer: Signer;
  try {
    signer = verifier.verify(entity);
  } catch (error) {
    throw rejectionOf(error as { code?: string; message: string }, entity, time);
  }
  return { ...matchingIdentity(keyless, signer, entity), time };
}

/** The identity of a signer, which must be the one that is trusted. */
function matchingIdentity(
  keyless: KeylessIdentity,
  { identity }: Signer,
  { key }: SignedEntity,
): Identity {
  const subject = identity?.subjectAlternativeName ?? "";
  const issuer = identity?.extensions?.issuer ?? "";
  // The library drops the eighth bit of characters: what it makes of others is not in the certificate.
  const der = key.$case === "certificate" ? key.certificate.root.toDER() : Buffer.alloc(0);
  const isAscii = der.includes(subject) && der.includes(issuer);
  const isMatch = globMatches(keyless.subject, subject) && globMatches(keyless.issuer, issuer);
  if (isAscii && isMatch) return { subject, issuer };
  const name = `${shown(subject) || "no subject"}, by ${shown(issuer) || "no issuer"}`;
  const message = `The certificate is trusted, but it is that of ${name}.`;
  throw new SignatureRejected("other_identity", message);
}

/** The name in a checkpoint finds the key of a log. Logs without an address are found by the hash of the key alone. */
function withNamedLogs(trusted: TrustMaterial, bundle: Bundle): TrustMaterial {
  const names = bundle.verificationMaterial.tlogEntries
    .map(({ inclusionProof }) => inclusionProof?.checkpoint?.envelope ?? "")
    .join("\n");
  const tlogs = trusted.tlogs.map((log) => ({ ...log, baseURL: log.baseURL || names }));
  return { ...trusted, tlogs };
}

/** The first time that a log or an authority has signed, in milliseconds; 0 without one. */
function timeOf({ timestamps }: SignedEntity): number {
  for (const one of timestamps) {
    if (one.$case === "timestamp-authority") return one.timestamp.signingTime.getTime();
    const { inclusionPromise, integratedTime } = one.tlogEntry;
    if (inclusionPromise !== undefined) return Number(integratedTime) * 1_000;
  }
  return 0;
}

/** Failures of the library, by the beginning of their code. */
const FAILURES: readonly (readonly [code: string, problem: SignatureProblem, text: string])[] = [
  ["TIMESTAMP", "no_trusted_time", "No trusted log or authority has dated it"],
  ["CERTIFICATE", "untrusted_certificate", "The certificate is not trusted"],
  ["TLOG", "not_logged", "No trusted log has this signature"],
  ["SIGNATURE", "invalid_signature", "The key of the certificate has not signed this"],
];

function rejectionOf(
  { code = "", message }: { readonly code?: string; readonly message: string },
  { key }: SignedEntity,
  time: number,
): SignatureRejected {
  const isDated = key.$case !== "certificate" || key.certificate.validForDate(new Date(time));
  if (code === "CERTIFICATE_ERROR" && !isDated) {
    const text = "The certificate was not valid at the time of the signature.";
    return new SignatureRejected("certificate_expired", text);
  }
  const failure = FAILURES.find(([prefix]) => code.startsWith(prefix));
  const [, problem, text] = failure ?? ["", "malformed" as const, "It cannot be verified"];
  return new SignatureRejected(problem, `${text}: ${message}.`);
}

/** The identity that the certificate in a bundle names, whether it is trusted or not. */
export async function claimedIdentity(bundle: Bundle): Promise<Identity> {
  const { toSignedEntity } = await import("@sigstore/verify");
  const { key } = toSignedEntity(bundle, Buffer.alloc(0));
  if (key.$case !== "certificate") return { subject: "", issuer: "" };
  const issuer = key.certificate.extension(ISSUER)?.valueObj.subs[0]?.value.toString() ?? "";
  return { subject: shown(key.certificate.subjectAltName ?? ""), issuer: shown(issuer) };
}

const MAX_LENGTH = 1_024;

function shown(value: string): string {
  return value.replaceAll("\0", "").slice(0, MAX_LENGTH).toWellFormed();
}
