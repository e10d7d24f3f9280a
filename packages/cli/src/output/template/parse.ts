import { FUNCTIONS } from "./functions.ts";
import { type Lexeme, lex, type Piece, templateError, unescaped } from "./lex.ts";

export type Expression =
  | { readonly kind: "field"; readonly fromRoot: boolean; readonly path: readonly string[] }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "call"; readonly name: string; readonly values: readonly Expression[] };

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly value: Expression }
  | {
      readonly kind: "if" | "range";
      readonly value: Expression;
      readonly then: readonly Part[];
      readonly otherwise: readonly Part[];
    };

export function parseTemplate(template: string): Part[] {
  const pieces = lex(template);
  const { parts, ended } = block(pieces, { next: 0 });
  if (ended !== undefined)
    throw templateError(`{{${ended.word}}} without {{if}} or {{range}}`, ended.at);
  return parts;
}

interface Ended {
  readonly word: "else" | "end";
  readonly rest: readonly Lexeme[];
  readonly at: number;
}

/** Parts up to the matching `else` or `end`. */
function block(
  pieces: readonly Piece[],
  cursor: { next: number },
): { parts: Part[]; ended?: Ended } {
  const parts: Part[] = [];
  while (cursor.next < pieces.length) {
    const piece = pieces[cursor.next++] as Piece;
    if (piece.kind === "text") {
      parts.push(piece);
      continue;
    }
    const [first, ...rest] = piece.lexemes;
    if (first === undefined) throw templateError("nothing between {{ and }}", piece.at);
    if (first.kind === "word" && (first.text === "else" || first.text === "end")) {
      return { parts, ended: { word: first.text, rest, at: piece.at } };
    }
    const opens = first.kind === "word" && (first.text === "if" || first.text === "range");
    parts.push(
      opens
        ? branch(first.text as "if" | "range", rest, piece.at, pieces, cursor)
        : { kind: "print", value: expression(piece.lexemes, piece.at) },
    );
  }
  return { parts };
}

function branch(
  kind: "if" | "range",
  lexemes: readonly Lexeme[],
  at: number,
  pieces: readonly Piece[],
  cursor: { next: number },
): Part {
  const value = expression(lexemes, at);
  const { parts: then, ended } = block(pieces, cursor);
  if (ended === undefined) throw templateError(`{{${kind}}} without {{end}}`, at);
  if (ended.word === "end") return { kind, value, then, otherwise: [] };
  const [chained, ...rest] = ended.rest;
  if (chained !== undefined) {
    if (chained.text !== "if") throw templateError(`unexpected ${chained.text}`, chained.at);
    return { kind, value, then, otherwise: [branch("if", rest, ended.at, pieces, cursor)] };
  }
  const last = block(pieces, cursor);
  if (last.ended?.word !== "end") throw templateError(`{{${kind}}} without {{end}}`, at);
  return { kind, value, then, otherwise: last.parts };
}

/** A pipeline: each call gets the previous value as its last argument. */
function expression(lexemes: readonly Lexeme[], at: number): Expression {
  const stages: Lexeme[][] = [[]];
  let depth = 0;
  for (const lexeme of lexemes) {
    if (lexeme.text === "(" && lexeme.kind === "sign") depth++;
    if (lexeme.text === ")" && lexeme.kind === "sign") depth--;
    if (lexeme.kind === "sign" && lexeme.text === "|" && depth === 0) stages.push([]);
    else stages.at(-1)?.push(lexeme);
  }
  if (depth !== 0) throw templateError("unbalanced parentheses", at);
  return stages.reduce<Expression | undefined>(
    (piped, stage) => call(stage, piped, at),
    undefined,
  ) as Expression;
}

function call(lexemes: readonly Lexeme[], piped: Expression | undefined, at: number): Expression {
  const [first] = lexemes;
  if (first === undefined) throw templateError("a value is missing", at);
  const isCall = first.kind === "word" && !LITERALS.has(first.text);
  const values = terms(isCall ? lexemes.slice(1) : lexemes);
  if (!isCall) {
    const [value, more] = values;
    if (more !== undefined)
      throw templateError("a function is missing before several values", first.at);
    if (piped !== undefined) throw templateError(`${first.text} is not a function`, first.at);
    return value as Expression;
  }
  const known = Object.hasOwn(FUNCTIONS, first.text) ? FUNCTIONS[first.text] : undefined;
  if (known === undefined) {
    const names = Object.keys(FUNCTIONS).join(", ");
    throw templateError(`unknown function ${first.text} (known: ${names})`, first.at);
  }
  const all = piped === undefined ? values : [...values, piped];
  const [min, max] = known.arguments;
  if (all.length < min || all.length > max) {
    const expected = min === max ? `${min}` : `at least ${min}`;
    throw templateError(`${first.text} takes ${expected} arguments, not ${all.length}`, first.at);
  }
  return { kind: "call", name: first.text, values: all };
}

const LITERALS = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["nil", undefined],
]);

function terms(lexemes: readonly Lexeme[]): Expression[] {
  const found: Expression[] = [];
  for (let at = 0; at < lexemes.length; at++) {
    const lexeme = lexemes[at] as Lexeme;
    if (lexeme.kind === "sign") {
      const end = matching(lexemes, at);
      found.push(expression(lexemes.slice(at + 1, end), lexeme.at));
      at = end;
    } else {
      found.push(term(lexeme));
    }
  }
  return found;
}

function term({ kind, text, at }: Lexeme): Expression {
  if (kind === "field") {
    const fromRoot = text.startsWith("$");
    return { kind, fromRoot, path: text.replace("$", "").split(".").filter(Boolean) };
  }
  if (kind === "number") return { kind: "value", value: Number(text) };
  if (kind === "text") {
    const inner = text.slice(1, -1);
    return { kind: "value", value: text.startsWith("`") ? inner : unescaped(inner) };
  }
  if (LITERALS.has(text)) return { kind: "value", value: LITERALS.get(text) };
  throw templateError(`${text} must be in parentheses, or a field such as .${text}`, at);
}

function matching(lexemes: readonly Lexeme[], open: number): number {
  let depth = 0;
  for (let at = open; at < lexemes.length; at++) {
    const { kind, text } = lexemes[at] as Lexeme;
    if (kind === "sign" && text === "(") depth++;
    if (kind === "sign" && text === ")" && --depth === 0) return at;
  }
  throw templateError("unbalanced parentheses", (lexemes[open] as Lexeme).at);
}
