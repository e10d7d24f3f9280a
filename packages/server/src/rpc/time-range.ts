import type { DescField } from "@bufbuild/protobuf";
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";

/**
 * The ranges of google.protobuf.Timestamp and Duration. JSON cannot exceed them, but binary messages can, and
 * neither databases nor JavaScript dates can store such values.
 */

const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const MAX_DURATION_SECONDS = 315_576_000_000n;
const MAX_NANOS = 999_999_999;

/** Checks values of a Timestamp or Duration field and describes the problem; undefined for other fields. */
export function timeProblem(
  field: DescField,
): ((value: Timestamp & Duration) => string | undefined) | undefined {
  switch (field.message?.typeName) {
    case TimestampSchema.typeName:
      return timestampProblem;
    case DurationSchema.typeName:
      return durationProblem;
    default:
      return undefined;
  }
}

export function timestampProblem({ seconds, nanos }: Timestamp): string | undefined {
  const isInRange = seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
  if (isInRange && nanos >= 0 && nanos <= MAX_NANOS) return undefined;
  return "must be within the years 0001 to 9999";
}

function durationProblem({ seconds, nanos }: Duration): string | undefined {
  const isInRange = seconds >= -MAX_DURATION_SECONDS && seconds <= MAX_DURATION_SECONDS;
  const hasOneSign = seconds === 0n || nanos === 0 || seconds > 0n === nanos > 0;
  if (isInRange && hasOneSign && Math.abs(nanos) <= MAX_NANOS) return undefined;
  return "must be at most 10,000 years, with one sign for seconds and nanos";
}
