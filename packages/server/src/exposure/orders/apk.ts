import { compareDigits, compareText, versionOrder } from "./order.ts";

/**
 * The parts of a version of apk-tools 3, in the order in which they may follow each other. At the first difference of
 * two versions, the earlier kind is greater: 1.1 follows 1a, and 1a follows 1. Numbers of letters (`5.1p1`) are an
 * extension: apk does not parse them, but records contain them.
 */
const KINDS = ["first", "number", "letters", "letters number", "suffix", "suffix number"] as const;
const LAST_KINDS = ["commit", "revision", "end", "invalid"] as const;

type Kind = (typeof KINDS)[number] | (typeof LAST_KINDS)[number];

const ORDER: readonly Kind[] = [...KINDS, ...LAST_KINDS];

interface Token {
  readonly kind: Kind;
  readonly text: string;
}

/** Suffixes before the version itself, and after it. */
const PRERELEASES = ["alpha", "beta", "pre", "rc"];
const SUFFIXES = [...PRERELEASES, "cvs", "svn", "git", "hg", "p"];

/** By the first character of a token: its pattern, its kind, and the kinds that it may follow. */
const RULES: readonly (readonly [pattern: RegExp, kind: Kind, after: (kind: Kind) => boolean])[] = [
  [/\.(\d+)/y, "number", (kind) => isUpTo(kind, "number")],
  [/([a-z]+)/y, "letters", (kind) => isUpTo(kind, "number")],
  [/(\d+)/y, "letters number", (kind) => kind === "letters"],
  [/_([a-z]+)/y, "suffix", (kind) => isUpTo(kind, "suffix number")],
  [/(\d+)/y, "suffix number", (kind) => kind === "suffix"],
  [/~([\da-f]+)/y, "commit", (kind) => isUpTo(kind, "suffix number")],
  [/-r(\d*)(?![a-z])/y, "revision", (kind) => isUpTo(kind, "commit")],
];

function isUpTo(kind: Kind, last: Kind): boolean {
  return ORDER.indexOf(kind) <= ORDER.indexOf(last);
}

/** The text behind the part that apk understands is one invalid token. */
function parse(text: string): readonly Token[] | undefined {
  if (text === "") return undefined;
  const first = /^\d*/.exec(text)?.[0] ?? "";
  const tokens: Token[] = [{ kind: "first", text: first }];
  let at = first.length;
  while (at < text.length) {
    const token = tokenAt(text, at, (tokens.at(-1) as Token).kind);
    tokens.push(token ?? { kind: "invalid", text: text.slice(at) });
    if (token === undefined) return tokens;
    at = token.end;
  }
  return [...tokens, { kind: "end", text: "" }];
}

function tokenAt(text: string, at: number, last: Kind): (Token & { end: number }) | undefined {
  for (const [pattern, kind, mayFollow] of RULES) {
    pattern.lastIndex = at;
    const found = mayFollow(last) ? pattern.exec(text) : null;
    const [all = "", part = ""] = found ?? [];
    const isKnown = kind !== "suffix" || SUFFIXES.includes(part);
    if (found !== null && isKnown) return { kind, text: part, end: at + all.length };
  }
  return undefined;
}

function compare(one: readonly Token[], other: readonly Token[]): number | undefined {
  for (let at = 0; ; at++) {
    const [a, b] = [one[at] as Token, other[at] as Token];
    if (a.kind !== b.kind) return compareKinds(a, b);
    if (a.kind === "end") return 0;
    // Behind the same beginning, texts without meaning have no order.
    if (a.kind === "invalid") return a.text === b.text ? 0 : undefined;
    const order = compareTexts(a, b);
    if (order !== 0) return order;
  }
}

function compareKinds(one: Token, other: Token): number {
  if (isPrerelease(one)) return -1;
  if (isPrerelease(other)) return 1;
  return ORDER.indexOf(other.kind) - ORDER.indexOf(one.kind);
}

function isPrerelease({ kind, text }: Token): boolean {
  return kind === "suffix" && PRERELEASES.includes(text);
}

function compareTexts({ kind, text: one }: Token, { text: other }: Token): number {
  if (kind === "suffix") return SUFFIXES.indexOf(one) - SUFFIXES.indexOf(other);
  // After the first dot, numbers with a leading zero are compared as texts, as decimal fractions are.
  const isFraction = kind === "number" && (one.startsWith("0") || other.startsWith("0"));
  const isText = kind === "letters" || kind === "commit" || isFraction;
  return isText ? compareText(one, other) : compareDigits(one, other);
}

/** Alpine, Wolfi and others: apk-tools 3. */
export const apk = versionOrder("apk", parse, compare);
