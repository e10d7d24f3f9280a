import {
  compareDigits,
  compareLists,
  compareNumbers,
  compareText,
  compareWordsFirst,
  endFirst,
  versionOrder,
} from "./order.ts";

interface PythonVersion {
  readonly epoch: string;
  readonly release: readonly string[];
  /** Undefined for a text after the release that PEP 440 does not allow. */
  readonly suffix: Suffix | undefined;
  readonly text: string;
}

/** Digits, or undefined for a part that a version does not have. */
interface Suffix {
  readonly phase: string | undefined;
  readonly prerelease: string;
  readonly post: string | undefined;
  readonly dev: string | undefined;
  readonly local: readonly string[];
}

const VERSION = /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(.*)$/s;

const PRERELEASE = /^[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*)/;
const POST = /^(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))/;
const DEVELOPMENT = /^[-_.]?dev[-_.]?(\d*)/;
const LOCAL = /^\+([a-z\d]+(?:[-_.][a-z\d]+)*)$/;

/** Sorts the spellings of the phases. */
const PHASES: Readonly<Record<string, string>> = {
  alpha: "a",
  beta: "b",
  c: "rc",
  pre: "rc",
  preview: "rc",
};

function parse(text: string): PythonVersion | undefined {
  const found = VERSION.exec(text.toLowerCase());
  if (found === null) return undefined;
  const [, epoch = "", release = "", rest = ""] = found;
  return { epoch, release: release.split("."), suffix: suffixOf(rest), text: rest };
}

function suffixOf(text: string): Suffix | undefined {
  let rest = text;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found !== null) rest = rest.slice(found[0].length);
    return found;
  };
  const pre = match(PRERELEASE);
  const post = match(POST);
  const dev = match(DEVELOPMENT);
  const local = match(LOCAL);
  if (rest !== "") return undefined;
  return {
    phase: pre === null ? undefined : (PHASES[pre[1] ?? ""] ?? pre[1]),
    prerelease: pre?.[2] ?? "",
    post: post === null ? undefined : (post[1] ?? post[2] ?? ""),
    dev: dev === null ? undefined : (dev[1] ?? ""),
    local: local === null ? [] : (local[1] ?? "").split(/[-_.]/),
  };
}

/** Of two versions of one release, those that PEP 440 does not allow are compared with each other only, as texts. */
function compare(one: PythonVersion, other: PythonVersion): number | undefined {
  const order = compareDigits(one.epoch, other.epoch) || compareNumbers(one.release, other.release);
  if (order !== 0) return order;
  if (one.suffix !== undefined && other.suffix !== undefined) {
    return compareSuffixes(one.suffix, other.suffix);
  }
  if (one.suffix !== undefined || other.suffix !== undefined) return undefined;
  return compareText(one.text, other.text);
}

function compareSuffixes(one: Suffix, other: Suffix): number {
  return (
    phaseRank(one) - phaseRank(other) ||
    compareDigits(one.prerelease, other.prerelease) ||
    compareOptional(one.post, other.post, -1) ||
    compareOptional(one.dev, other.dev, 1) ||
    compareLists(one.local, other.local, endFirst(compareWordsFirst))
  );
}

/** A development version of the release itself precedes all phases. */
function phaseRank({ phase, post, dev }: Suffix): number {
  if (phase === undefined) return post === undefined && dev !== undefined ? 0 : 4;
  return ["a", "b", "rc"].indexOf(phase) + 1;
}

/** `none` is the order of a missing number relative to all others. */
function compareOptional(one: string | undefined, other: string | undefined, none: number): number {
  if (one === undefined) return other === undefined ? 0 : none;
  return other === undefined ? -none : compareDigits(one, other);
}

/** PyPI: PEP 440. */
export const pep440 = versionOrder("pep440", parse, compare);
