import { compareLists, compareWordsFirst, isDigits, versionOrder, withoutLast } from "./order.ts";

/** The platform that a lock file writes after the version: it is no part of the order, unlike a prerelease. */
const PLATFORM =
  /-(?:java|jruby|mswin\w*|mingw\w*|(?:x86|x64|x86_64|i[3-6]86|arm|arm64|aarch64|universal)-[\w-]+)$/;

const VERSION = /^\d[A-Za-z\d]*(?:[.-][A-Za-z\d]+)*$/;

/** Words and numbers, without the zeros at the end of the numbers and at the end of the rest. */
function parse(text: string): readonly string[] | undefined {
  const version = text.replace(PLATFORM, "");
  if (!VERSION.test(version)) return undefined;
  const segments = version.replaceAll("-", ".pre.").match(/\d+|[A-Za-z]+/g) ?? [];
  const word = segments.findIndex((segment) => !isDigits(segment));
  const end = word === -1 ? segments.length : word;
  return [segments.slice(0, end), segments.slice(end)].flatMap((part) => withoutLast(part, isZero));
}

function isZero(segment: string): boolean {
  return /^0+$/.test(segment);
}

/** RubyGems. A missing segment is zero. */
export const gem = versionOrder("gem", parse, (one, other) =>
  compareLists(one, other, (a = "0", b = "0") => compareWordsFirst(a, b)),
);
