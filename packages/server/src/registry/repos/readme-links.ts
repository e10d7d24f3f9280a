import { codeRanges, isBlank, linesOf } from "./readme-code.ts";

/*
 * Markdown links of a README. The scheme of a destination may only be `http`, `https` or `mailto`,
 * however it is spelled; `javascript:`, `data:` and all others are unsafe. The scanner knows where
 * destinations can begin (`](` of links and images, `]:` of definitions), and ignores what Markdown
 * parsers and browsers ignore in a scheme: control characters, backslashes and percent-encoding. Any
 * entity there is unsafe. Links in angle brackets are checked as HTML: see readme-html.ts.
 */

export interface UnsafeLink {
  readonly line: number;
  /** The first characters of the destination. */
  readonly text: string;
}

interface Destination {
  readonly start: number;
  /** The end of the text that can contain the scheme. */
  readonly end: number;
}

const SAFE_SCHEMES = new Set(["http", "https", "mailto"]);

/**
 * The begin of a destination, up to the first character that ends a scheme. The lookahead skips
 * destinations without a scheme; after it everything matches, so there is no backtracking.
 */
const DESTINATION = /\](\(|:)(?=[^:&%/?#()[\]"']*[:&%])(\s*<?\s*)((?:&#|[^:/?#()<>[\]"'])*)(:?)/g;

const ENTITY = /&(?:#|(?!amp;)[a-zA-Z][a-zA-Z0-9]*;)/;

/** The first unsafe link: `{ line: 1, text: "javascript:alert(1))" }` in "[x](javascript:alert(1))". */
export function unsafeLink(markdown: string): UnsafeLink | undefined {
  const [first] = unsafeDestinations(markdown);
  if (first === undefined) return undefined;
  const line = markdown.slice(0, first.start).split("\n").length;
  return { line, text: markdown.slice(first.start, first.start + 40).split("\n")[0] ?? "" };
}

/** Disables unsafe links by replacing their scheme: "[x](javascript:alert(1))" becomes "[x](#alert(1))". */
export function withoutUnsafeLinks(markdown: string): string {
  let kept = "";
  let last = 0;
  for (const { start, end } of unsafeDestinations(markdown)) {
    kept += `${markdown.slice(last, start)}#`;
    last = end;
  }
  return kept + markdown.slice(last);
}

function unsafeDestinations(markdown: string): Destination[] {
  const found: Destination[] = [];
  let isInDefinition: ((index: number) => boolean) | undefined;
  for (const match of markdown.matchAll(DESTINATION)) {
    const [, opening, lead = "", text = "", colon = ""] = match;
    const start = match.index + 2 + lead.length;
    const isBare = opening === ":" && !lead.includes("<");
    const written = isBare ? wordOf(text, colon, markdown[start + text.length + 1]) : text + colon;
    if (!hasUnsafeScheme(written)) continue;
    if (opening === ":") {
      isInDefinition ??= definitionFinder(markdown);
      if (!isInDefinition(match.index)) continue;
    }
    found.push({ start, end: start + written.length });
  }
  return found.length === 0 ? found : outsideCode(found, markdown);
}

/**
 * The destination of a definition ends at white space. A word that ends in a colon is no destination,
 * but mostly prose: "[1]: Note: …".
 */
function wordOf(text: string, colon: string, next: string | undefined): string {
  const [word = ""] = text.split(/\s/, 1);
  const isWhole = word === text && next !== undefined && !/\s/.test(next);
  return isWhole ? word + colon : word;
}

function hasUnsafeScheme(written: string): boolean {
  if (ENTITY.test(written)) return true;
  const decoded = written.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const colon = decoded.indexOf(":");
  const scheme = decoded.slice(0, Math.max(colon, 0)).replaceAll(/[\p{Cc}\p{Cf}\\]/gu, "");
  return /^[a-z][a-z0-9+.-]*$/i.test(scheme) && !SAFE_SCHEMES.has(scheme.toLowerCase());
}

/**
 * Whether a `]:` can end the label of a definition: the label begins a line of the same paragraph, after
 * nothing but markers of quotes and lists. To be called in text order.
 */
function definitionFinder(markdown: string): (index: number) => boolean {
  const lines = linesOf(markdown);
  let at = 0;
  let hasLabel = false;
  return (index) => {
    for (let line = lines[at]; line !== undefined && line.start <= index; line = lines[++at]) {
      if (isBlank(line)) hasLabel = false;
      else hasLabel ||= /^[\s>*+\-\d.)]*\[/.test(line.text);
    }
    return hasLabel;
  };
}

/** Both lists are in text order. */
function outsideCode(found: readonly Destination[], markdown: string): Destination[] {
  const code = codeRanges(markdown);
  let at = 0;
  return found.filter(({ start }) => {
    while ((code[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    return start <= (code[at]?.start ?? Number.POSITIVE_INFINITY);
  });
}
