/** The width of text at a terminal, and truncation without splitting graphemes. */

/** East Asian wide and full-width characters, which take two cells. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}{2}/u;
const NO_WIDTH = /^[\p{Mark}\p{Cf}]+$/u;
const PLAIN = /^[ -~]*$/;

/** Created on demand: it takes half as long as the start of Node.js. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** The width of a text in terminal cells. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOfGrapheme(segment);
  return width;
}

function widthOfGrapheme(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return EMOJI.test(grapheme) || WIDE.test(grapheme) ? 2 : 1;
}

/** Truncates a text to a width, with `…` at the end. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const { segment } of graphemesOf(text)) {
    left -= widthOfGrapheme(segment);
    if (left < 0) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Pads a text with spaces to a width. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Escapes control characters, with which a server could control the terminal or reorder text. */
export function harmless(text: string): string {
  // Nearly every text of a list: three other expressions need not be compiled.
  if (PLAIN.test(text)) return text;
  return harmlessLines(text.replaceAll("\n", "⏎").replaceAll(/[\t\r]/g, " "));
}

/** As `harmless`, but keeps line breaks and tabs. */
export function harmlessLines(text: string): string {
  return text.replace(CONTROLS, (found) => {
    const code = found.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, "0")}`;
  });
}

/** Control characters except tabs and line breaks, and bidirectional formatting characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Wraps a paragraph at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}
