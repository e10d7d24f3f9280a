import { CST, Lexer, type LineCounter, Parser } from "yaml";
import { READ_LIMITS } from "./limits.ts";
import { Unreadable } from "./unreadable.ts";

/**
 * What the parser makes of YAML, piece by piece. It has no bounds of its own, and takes a thousand bytes of
 * memory for each piece: what has too many, or too many in one another, is refused where that shows.
 *
 * @example new Composer(options).compose(yamlTokens(text, lines), true, text.length)
 */
export function* yamlTokens(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let pieces = 0;
  let errors = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const start = parser.offset;
    const refuse = (reason: string) => {
      const { line, col } = lines.linePos(start);
      return new Unreadable([{ line, column: col, path: "", reason }]);
    };
    pieces += piecesOf(lexeme);
    if (pieces > READ_LIMITS.yamlPieces) {
      throw refuse(`has more than ${READ_LIMITS.yamlPieces} names, values, marks and lines`);
    }
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") errors++;
      yield token;
    }
    if (isTooDeep(parser.stack)) {
      throw refuse(`is nested more than ${READ_LIMITS.depth} levels deep`);
    }
    // No more are told.
    if (errors >= READ_LIMITS.problems) break;
  }
  yield* parser.end();
}

function piecesOf(lexeme: string): number {
  if (lexeme === CST.SCALAR || lexeme[0] === " ") return 0;
  // Each escape that is none is a problem of its own.
  return lexeme[0] === '"' ? lexeme.split("\\").length : 1;
}

function isTooDeep(open: readonly CST.Token[]): boolean {
  return (
    open.length > READ_LIMITS.depth && open.filter(CST.isCollection).length > READ_LIMITS.depth
  );
}
