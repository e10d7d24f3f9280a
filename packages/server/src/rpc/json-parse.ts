import type { JsonValue } from "@bufbuild/protobuf";

/**
 * A number that may not be exact as a JavaScript number: with more than 15 digits, or an exponent. It also matches
 * some strings, which costs time only.
 */
const INEXACT = /[:[,]\s*-?\d[\d.]*(?:\d{14}|[eE])/;

/** The text of a number: sign, digits before and after the point, exponent. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** More digits than a 64-bit integer has. */
const MAX_DIGITS = 40;

/**
 * Parses JSON. Whole numbers beyond 2^53 are exact bigints, which are read where a 64-bit integer is expected; the
 * type of JSON values does not know them. Throws SyntaxError.
 */
export function parseJson(text: string): JsonValue {
  if (!INEXACT.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    return wholeNumber(context?.source ?? "") ?? value;
  }) as JsonValue;
}

/** The exact value of a number's text, if it is whole; undefined otherwise. */
function wholeNumber(source: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  if (sign === undefined) return undefined;
  const digits = whole + fraction;
  const zeros = Number(exponent) - fraction.length;
  if (digits.length > MAX_DIGITS || Math.abs(zeros) > MAX_DIGITS) return undefined;
  if (zeros >= 0) return BigInt(`${sign}${digits}${"0".repeat(zeros)}`);
  if (!/^0*$/.test(digits.slice(zeros))) return undefined;
  return BigInt(`${sign}${digits.slice(0, zeros) || "0"}`);
}
