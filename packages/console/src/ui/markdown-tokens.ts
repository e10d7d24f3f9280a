import { Lexer, type Token } from "marked";

/** Longer texts are shown as they are, and so is what is nested deeper: they would keep the page busy. */
const MAX_LENGTH = 200_000;
export const MAX_DEPTH = 24;

/**
 * Steps of the parser for each character of a text. It compares every delimiter of a paragraph with all that follow, so
 * that its work can grow with the square of the length; text beyond this budget has no formatting.
 */
const STEPS_PER_CHARACTER = 50;

const DELIMITER = /[*_~`[\]<\\]/g;

const TASK = /^[\s>]*(?:[-*+]|\d+[.)])\s+\[[ xX]\]/gm;

/** The tokens of a Markdown text, in time that is linear in its length; undefined if it is to be shown as it is. */
export function tokensOf(text: string): Token[] | undefined {
  const budget = STEPS_PER_CHARACTER * text.length;
  // The parser looks for each task in all paragraphs.
  const isLong = text.length > MAX_LENGTH || count(text, TASK) * count(text, /\n/g) > budget;
  if (isLong) return undefined;
  try {
    return new BoundedLexer(budget).lex(text);
  } catch {
    // Too deeply nested for the parser.
    return undefined;
  }
}

class BoundedLexer extends Lexer {
  #steps: number;
  #depth = 0;

  constructor(steps: number) {
    super();
    this.#steps = steps;
  }

  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): never {
    const parse = () => super.blockTokens(src, tokens, isClipped);
    return this.#nested(src, tokens, parse) as never;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const steps = src.length * count(src, DELIMITER);
    if (steps > this.#steps) return plain(src, tokens);
    this.#steps -= steps;
    return this.#nested(src, tokens, () => super.inlineTokens(src, tokens));
  }

  #nested(src: string, tokens: Token[], parse: () => Token[]): Token[] {
    if (this.#depth >= MAX_DEPTH) return plain(src, tokens);
    this.#depth += 1;
    try {
      return parse();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** Adds a text without formatting. */
function plain(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: src, text: src, escaped: false });
  return tokens;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The text of HTML without its tags, in one pass: a "<" without an end is text. */
export function withoutTags(html: string): string {
  let text = "";
  let at = 0;
  for (;;) {
    const open = html.indexOf("<", at);
    const close = open < 0 ? -1 : html.indexOf(">", open);
    if (close < 0) return text + html.slice(at);
    text += html.slice(at, open);
    at = close + 1;
  }
}
