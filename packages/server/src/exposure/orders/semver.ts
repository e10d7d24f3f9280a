import {
  compareDigits,
  compareLists,
  compareNumbers,
  compareText,
  endFirst,
  isDigits,
  versionOrder,
} from "./order.ts";

/** The parts of a version of Semantic Versioning (https://semver.org). */
export interface SemanticVersion {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
  readonly build: readonly string[];
}

/** Any count of numbers; the hyphen is optional before a letter, as in npm's loose mode and in `go1.21rc2`. */
const VERSION = /^(v|go)?(\d+(?:\.\d+)*)(?:-([\w.~-]+)|([a-z][\w.~-]*))?(?:\+([\w.~+-]*))?$/i;

/** The Go toolchain writes experiments after a space (`go1.21.9 X:boringcrypto`), and prereleases without dots. */
const GO_EXPERIMENTS = /^(go\S+) .*$/;
const GO_PRERELEASE = /^(beta|rc)(\d+)$/;

export function parseSemantic(text: string): SemanticVersion | undefined {
  const found = VERSION.exec(text.replace(GO_EXPERIMENTS, "$1"));
  if (found === null) return undefined;
  const [, , numbers = "", afterHyphen, attached, build = ""] = found;
  const prerelease = afterHyphen ?? attached?.replace(GO_PRERELEASE, "$1.$2") ?? "";
  return {
    numbers: numbers.split("."),
    prerelease: prerelease === "" ? [] : prerelease.split("."),
    build: build === "" ? [] : build.split("."),
  };
}

/**
 * Prereleases precede their version. Metadata of builds is no part of the order: `v2.0.0+incompatible` equals `v2.0.0`.
 */
export function compareSemantic(one: SemanticVersion, other: SemanticVersion): number {
  return (
    compareNumbers(one.numbers, other.numbers) ||
    Number(one.prerelease.length === 0) - Number(other.prerelease.length === 0) ||
    compareIdentifiers(one.prerelease, other.prerelease)
  );
}

/** Numbers precede words, and a list precedes those that it begins. */
export function compareIdentifiers(one: readonly string[], other: readonly string[]): number {
  return compareLists(one, other, endFirst(compareIdentifier));
}

function compareIdentifier(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [isDigits(one), isDigits(other)];
  if (isNumber && isOtherNumber) return compareDigits(one, other);
  return Number(isOtherNumber) - Number(isNumber) || compareText(one, other);
}

/** Semantic Versioning: npm, Go, crates.io and others. */
export const semver = versionOrder("semver", parseSemantic, compareSemantic);
