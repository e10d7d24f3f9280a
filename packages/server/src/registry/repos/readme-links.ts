import { codeRanges, isBlank, linesOf } from "./readme-code.ts";

/**
 * Links of a README that are written as Markdown. Only `http`, `https` and `mailto` may be named as the
 * scheme of a destination, however it is spelled; `javascript:`, `data:` and every other one is unsafe.
 * The scanner knows where destinations can begin (`](` of links and images, `]:` of definitions) and
 * ignores what Markdown parsers and browsers ignore in a scheme: control characters, backslashes and
 * percent-encoding. An entity there is unsafe, whatever it stands for. Links in angle brackets are HTML
 * to begin with: see readme-html.ts.
 */

export interface UnsafeLink {
  readonly line: number;
  /** How the destination begins. */
  readonly text: string;
}

interface Destination {
  readonly start: number;
  /** Where the part that decides on the scheme ends. */
  readonly end: number;
}

const SAFE_SCHEMES = new Set(["http", "https", "mailto"]);

/**
 * Where a destination begins, and its text up to the first character that ends a scheme. What can spell
 * no scheme is skipped at once; after that everything matches, so there is no backtracking.
 */
const DESTINATION = /\](\(|:)(?=[^:&%/?#()[\]"']*[:&%])(\s*<?\s*)((?:&#|[^:/?#()<>[\]"'])*)(:?)/g;

const ENTITY = /&(?:#|(?!amp;)[a-zA-Z][a-zA-Z0-9]*;)/;

/**
 * The first link that is not known to be safe.
 *
 * @example unsafeLink("[x](javascript:alert(1))") // { line: 1, text: "javascript:alert(1))" }
 */
export function unsafeLink(markdown: string): UnsafeLink | undefined {
  const [first] = unsafeDestinations(markdown);
  if (first === undefined) return undefined;
  const line = markdown.slice(0, first.start).split("\n").length;
  return { line, text: markdown.slice(first.start, first.start + 40).split("\n")[0] ?? "" };
}

/**
 * The same text with every unsafe scheme replaced by `#`, so that the link leads nowhere.
 *
 * @example withoutUnsafeLinks("[x](javascript:alert(1))") // "[x](#alert(1))"
 */
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
 * The destination of a definition ends at white space. What has nothing after its colon leads nowhere,
 * and is mostly no definition but prose: "[1]: Note: …".
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
 * nothing but the marks of quotes and lists. Asked in the order of the text.
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

/** Both are in the order of the text. */
function outsideCode(found: readonly Destination[], markdown: string): Destination[] {
  const code = codeRanges(markdown);
  let at = 0;
  return found.filter(({ start }) => {
    while ((code[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    return start <= (code[at]?.start ?? Number.POSITIVE_INFINITY);
  });
}
