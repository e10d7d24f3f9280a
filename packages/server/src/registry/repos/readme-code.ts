/*
 * Finds text that every Markdown parser treats as code, and so renders literally. Where parsers disagree, the text does
 * not count as code.
 *
 * - Fenced blocks: both fences at the start of a line and of the same length, the first with at most a plain language
 *   name, and not within an HTML block. After anything else that resembles a fence, no later fences count.
 * - Code spans within one line, opened after white space, in a paragraph whose lines all have paired
 *   backticks and none of the characters that bind tighter or split a line (`\`, `|`, `<`, `$`).
 */

export interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export type Range = Omit<Line, "text">;

const FENCE = /^(`{3,}|~{3,})[A-Za-z0-9_+.#-]*\s*$/;
const FENCE_LIKE = /^[\s>*+\-\d.)]*(?:`{3}|~{3})/;

/** Blocks that continue after blank lines, and in which fences do not count. */
const LONG_BLOCK = /<pre|\$\$/i;

/** Characters at which only some parsers end lines. */
const AMBIGUOUS_LINE_END = /\r(?!\n)|[\v\f\x85\u2028\u2029]|[^\P{Cc}\t\r\n]/u;

/** The ranges of code: `{ start: 2, end: 4 }` in "a `b` c". */
export function codeRanges(markdown: string): Range[] {
  if (AMBIGUOUS_LINE_END.test(markdown)) return [];
  const ranges: Range[] = [];
  const lines = linesOf(markdown);
  let fencesCount = true;
  let paragraph: Line[] = [];
  let isInHtml = false;
  const endParagraph = () => {
    for (const span of spansOf(paragraph)) ranges.push(span);
    paragraph = [];
    isInHtml = false;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    const fence = fencesCount && !isInHtml ? closedFence(lines, at) : undefined;
    if (fence !== undefined) {
      endParagraph();
      ranges.push({ start: line.start, end: (lines[fence] as Line).end });
      at = fence;
      continue;
    }
    if (FENCE_LIKE.test(line.text) || LONG_BLOCK.test(line.text)) fencesCount = false;
    isInHtml ||= line.text.trimStart().startsWith("<");
    if (isBlank(line)) endParagraph();
    else paragraph.push(line);
  }
  endParagraph();
  return ranges;
}

/** The lines of a text, with their offsets. */
export function linesOf(markdown: string): Line[] {
  let start = 0;
  return markdown.split("\n").map((text) => {
    const line = { text, start, end: start + text.length };
    start = line.end + 1;
    return line;
  });
}

/** Whether a line ends a paragraph. */
export function isBlank({ text }: Line): boolean {
  return /^[ \t]*\r?$/.test(text);
}

/** The line that closes the fence opened at a line, if both are unambiguous. */
function closedFence(lines: readonly Line[], at: number): number | undefined {
  const fence = FENCE.exec(lines[at]?.text ?? "")?.[1];
  if (fence === undefined) return undefined;
  let end = at + 1;
  while (end < lines.length && !FENCE_LIKE.test(lines[end]?.text ?? "")) end += 1;
  return lines[end]?.text.trimEnd() === fence ? end : undefined;
}

function spansOf(paragraph: readonly Line[]): Range[] {
  if (paragraph.some(({ text }) => /[\\|<$]/.test(text))) return [];
  const spans: Range[] = [];
  for (const { text, start } of paragraph) {
    const runs = [...text.matchAll(/`+/g)];
    for (let at = 0; at < runs.length; at++) {
      const { 0: opening = "", index = 0 } = runs[at] ?? {};
      const isPlain = index === 0 || /\s/.test(text[index - 1] as string);
      do at += 1;
      while (at < runs.length && runs[at]?.[0] !== opening);
      // An unpaired backtick may be paired with one in any line of the paragraph.
      if (!isPlain || at === runs.length) return [];
      spans.push({ start: start + index, end: start + (runs[at]?.index ?? 0) });
    }
  }
  return spans;
}
