/**
 * Verifies exports of the audit log on any platform: the caller computes hashes and checks signatures with what it has.
 */
export {
  type ChainEnd,
  type Checkpoint,
  checkpointName,
  type Proof,
  type Signature,
  signatureOf,
} from "./checkpoints.ts";
export {
  type CheckpointLine,
  type EntryLine,
  type HeaderLine,
  hashedText,
  type Line,
} from "./lines.ts";
export { AuditVerifier, type Report } from "./verifier.ts";
