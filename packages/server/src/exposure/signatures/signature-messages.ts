import type { KeylessIdentity } from "@wharf/contract";
import type { SignatureDetail, SignatureForm } from "../../store/tables/registry/signatures.ts";

/** A verification key, as it is passed to the thread that verifies. */
export interface TrustedKey {
  readonly uid: string;
  /** The update time of the key. */
  readonly version: number;
  /** PEM; empty for an identity. */
  readonly publicKey: string;
  readonly keyless: KeylessIdentity | undefined;
}

/** A signature to verify; the bytes of its blob are those of the document. */
export interface SignatureRequest {
  readonly form: Exclude<SignatureForm, "notary">;
  /** The annotations of the blob. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The digest of the manifest that must be signed. */
  readonly digest: string;
  /** The bytes of that manifest. */
  readonly manifest: Uint8Array;
  /** The nearest first. */
  readonly keys: readonly TrustedKey[];
}

/** Reasons why signatures are not verified. They are stored and shown: a code never changes its meaning. */
export type SignatureProblem =
  | "no_keys"
  | "untrusted"
  | "untrusted_certificate"
  | "certificate_expired"
  | "no_trusted_time"
  | "not_logged"
  | "other_identity"
  | "invalid_signature"
  | "wrong_subject"
  | "malformed"
  | "too_large"
  | "unavailable"
  | "unsupported";

/** The result of verifying a signature. */
export interface SignatureReading
  extends Pick<SignatureDetail, "predicateType" | "subject" | "issuer" | "time"> {
  /** The key that has verified it; undefined if none has. */
  readonly key: TrustedKey | undefined;
  readonly problem?: SignatureProblem | undefined;
  readonly description: string;
}

/** The reason to reject a signature. The message is a sentence without a subject. */
export class SignatureRejected extends Error {
  override readonly name = "SignatureRejected";
  readonly problem: SignatureProblem;

  constructor(problem: SignatureProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
