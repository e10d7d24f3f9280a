/** The order of the versions of an ecosystem. */
export interface VersionOrder {
  readonly name: string;
  /** Negative, zero or positive; undefined if the versions cannot be compared. Never throws. */
  compare(one: string, other: string): number | undefined;
}

/** Longer texts cannot be compared: no package manager accepts them, and records are not trusted. */
export const MAX_VERSION_LENGTH = 1_000;

/**
 * An order of parsed versions. A text without meaning to `parse` is undefined there, and equal to itself only.
 * Both functions take time linear in the lengths of their texts.
 */
export function versionOrder<T>(
  name: string,
  parse: (text: string) => T | undefined,
  compareParsed: (one: T, other: T) => number | undefined,
): VersionOrder {
  const read = (text: string) => (text.length > MAX_VERSION_LENGTH ? undefined : parse(text));
  return {
    name,
    compare(one, other) {
      const [a, b] = [one.trim(), other.trim()];
      if (a === b) return 0;
      const [left, right] = [read(a), read(b)];
      if (left === undefined || right === undefined) return undefined;
      return compareParsed(left, right);
    },
  };
}

/** Compares by UTF-16 code units, as package managers compare bytes: versions are ASCII. */
export function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Compares decimal numbers of any length. The empty text is zero. */
export function compareDigits(one: string, other: string): number {
  const [a, b] = [withoutZeros(one), withoutZeros(other)];
  return a.length - b.length || compareText(a, b);
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, "");
}

export function isDigits(text: string): boolean {
  return /^\d+$/.test(text);
}

/** Compares lists by their first difference. `compare` gets undefined for the end of the shorter list. */
export function compareLists<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T | undefined, other: T | undefined) => number,
): number {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const order = compare(one[at], other[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares the end of a list, which precedes all items, or items. */
export function endFirst<T>(
  compare: (one: T, other: T) => number,
): (one: T | undefined, other: T | undefined) => number {
  return (one, other) => {
    if (one !== undefined && other !== undefined) return compare(one, other);
    return Number(one !== undefined) - Number(other !== undefined);
  };
}

/** Compares numbers and words: numbers as such, words as texts, and each word before each number. */
export function compareWordsFirst(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [isDigits(one), isDigits(other)];
  if (isNumber && isOtherNumber) return compareDigits(one, other);
  return Number(isNumber) - Number(isOtherNumber) || compareText(one, other);
}

/** Compares lists of numbers, in which missing ones are zero: 1.0 equals 1. */
export function compareNumbers(one: readonly string[], other: readonly string[]): number {
  return compareLists(one, other, (a = "", b = "") => compareDigits(a, b));
}

/** A list without the items at its end that count as nothing. */
export function withoutLast<T>(list: readonly T[], isNothing: (item: T) => boolean): readonly T[] {
  return list.slice(0, list.findLastIndex((item) => !isNothing(item)) + 1);
}
