import { usageError } from "../../errors.ts";

/** A token of an action, which is the text between braces. */
export interface Lexeme {
  readonly kind: "field" | "text" | "number" | "word" | "sign";
  readonly text: string;
  /** The position in the template, counted from one. */
  readonly at: number;
}

/** A template consists of text and actions. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly lexemes: readonly Lexeme[]; readonly at: number };

/** An error in a template, with its position. */
export function templateError(what: string, at: number): Error {
  return usageError(
    `--format: ${what} at position ${at}`,
    "`wharf help formats` explains templates",
  );
}

/** Splits a template into text and actions. */
export function lex(template: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let trim = false;
  const text = (to: number, trimEnd: boolean) => {
    let part = template.slice(from, to);
    if (trim) part = part.trimStart();
    if (trimEnd) part = part.trimEnd();
    if (part !== "") pieces.push({ kind: "text", text: unescaped(part) });
  };
  while (true) {
    const open = template.indexOf("{{", from);
    if (open < 0) break;
    const trimBefore = /^\{\{-\s/.test(template.slice(open));
    text(open, trimBefore);
    const begin = open + (trimBefore ? 3 : 2);
    const close = closing(template, begin, open + 1);
    trim = /\s-$/.test(template.slice(begin, close));
    const content = template.slice(begin, trim ? close - 1 : close);
    if (!/^\s*\/\*[\s\S]*\*\/\s*$/.test(content)) {
      pieces.push({ kind: "action", lexemes: lexAction(content, begin), at: open + 1 });
    }
    from = close + 2;
  }
  text(template.length, false);
  return pieces;
}

/** The end of an action: the first braces outside quotes. */
function closing(template: string, begin: number, at: number): number {
  for (const found of template.slice(begin).matchAll(/"(?:\\.|[^"\\])*"|`[^`]*`|\}\}/g)) {
    if (found[0] === "}}") return begin + found.index;
  }
  throw templateError("{{ without }}", at);
}

const LEXEME =
  /\s*(?:(?<field>\$?(?:\.[\w-]+)+|\$|\.)|(?<text>"(?:\\.|[^"\\])*"|`[^`]*`)|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z]\w*)|(?<sign>[|()]))/y;

function lexAction(content: string, begin: number): Lexeme[] {
  const lexemes: Lexeme[] = [];
  const end = content.trimEnd().length;
  LEXEME.lastIndex = 0;
  while (LEXEME.lastIndex < end) {
    const from = LEXEME.lastIndex;
    const groups = LEXEME.exec(content)?.groups;
    if (groups === undefined) {
      const at = from + (/\S/.exec(content.slice(from))?.index ?? 0);
      throw templateError(`unexpected ${JSON.stringify(content[at])}`, begin + at + 1);
    }
    const [kind, text] = Object.entries(groups).find(([, found]) => found !== undefined) as [
      Lexeme["kind"],
      string,
    ];
    lexemes.push({ kind, text, at: begin + LEXEME.lastIndex - text.length + 1 });
  }
  return lexemes;
}

/** Replaces escape sequences such as `\n`. */
export function unescaped(text: string): string {
  const known: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"' };
  return text.replace(/\\(.)/g, (whole, letter: string) => known[letter] ?? whole);
}
