import type { DescField } from "@bufbuild/protobuf";
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";

/**
 * The ranges that protobuf gives times and durations. JSON cannot express what is beyond them, but
 * binary messages can, and neither databases nor dates can hold it.
 */

const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const MAX_DURATION_SECONDS = 315_576_000_000n;
const MAX_NANOS = 999_999_999;

/**
 * What is wrong with the time or duration of a field, by its value; undefined for fields that hold
 * neither.
 *
 * @example timeProblem(field)?.({ seconds: 2n ** 62n, nanos: 0 }) // "must be within the years 0001 to 9999"
 */
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

function timestampProblem({ seconds, nanos }: Timestamp): string | undefined {
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
