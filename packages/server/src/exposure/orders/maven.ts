import { compareDigits, compareLists, compareText, isDigits, versionOrder } from "./order.ts";

/** A number or a word of a version. */
interface Token {
  /** A word is always after a hyphen, which a dot before it equals; so is a number directly after a word. */
  readonly separator: "." | "-";
  /** Empty for the words that mean a release. */
  readonly text: string;
}

/** Words that count as nothing. */
const RELEASES: ReadonlySet<string> = new Set(["", "ga", "final", "release"]);

/** Short forms of words before a number. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["a", "alpha"],
  ["b", "beta"],
  ["m", "milestone"],
]);

/** Words before and after the release, which is the empty text; all others follow, in alphabetical order. */
const WORDS = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];

/** https://maven.apache.org/pom.html#version-order-specification; a text without digits is no version. */
function parse(text: string): readonly Token[] | undefined {
  if (!/^[\w.+~-]+$/.test(text) || !/\d/.test(text)) return undefined;
  return withoutNothing(tokensOf(text.toLowerCase()));
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let separator: Token["separator"] = ".";
  let isSeparated = true;
  const parts = text.match(/[.-]|\d+|[^\d.-]+/g) ?? [];
  for (const [at, part] of parts.entries()) {
    const isSeparator = part === "." || part === "-";
    // Nothing between two separators is zero.
    if (isSeparator && isSeparated) tokens.push({ separator, text: "0" });
    if (!isSeparator) {
      const isAfterDot = isSeparated && separator === "." && isDigits(part);
      const word = wordOf(part, parts[at + 1] ?? "");
      tokens.push({ separator: isAfterDot ? "." : "-", text: word });
    } else separator = part;
    isSeparated = isSeparator;
  }
  return tokens;
}

function wordOf(part: string, next: string): string {
  const word = isDigits(next) ? (SHORT.get(part) ?? part) : part;
  if (word === "cr") return "rc";
  return RELEASES.has(word) ? "" : word;
}

/** Tokens that count as nothing are removed from the end, and before each hyphen. */
function withoutNothing(tokens: readonly Token[]): readonly Token[] {
  const left: Token[] = [];
  for (const token of tokens) {
    if (token.separator === "-") removeNothing(left);
    left.push(token);
  }
  removeNothing(left);
  return left;
}

function removeNothing(tokens: Token[]): void {
  while (isNothing(tokens.at(-1))) tokens.pop();
}

function isNothing(token: Token | undefined): boolean {
  return token !== undefined && /^0*$/.test(token.text);
}

/** A missing token is the nothing of its counterpart. */
function compareTokens(one: Token | undefined, other: Token | undefined): number {
  const a = one ?? nothingFor(other as Token);
  const b = other ?? nothingFor(one as Token);
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  if (isDigits(a.text)) return compareDigits(a.text, b.text);
  return compareWords(a.text, b.text);
}

function nothingFor({ separator, text }: Token): Token {
  return { separator, text: isDigits(text) ? "0" : "" };
}

/** Words precede numbers after a hyphen, which precede numbers after a dot. */
function rank({ separator, text }: Token): number {
  if (!isDigits(text)) return 0;
  return separator === "-" ? 1 : 2;
}

function compareWords(one: string, other: string): number {
  return wordRank(one) - wordRank(other) || compareText(one, other);
}

function wordRank(word: string): number {
  const found = WORDS.indexOf(word);
  return found === -1 ? WORDS.length : found;
}

/** Maven. */
export const maven = versionOrder("maven", parse, (one, other) =>
  compareLists(one, other, compareTokens),
);
