import { CST, Lexer, type LineCounter, Parser } from "yaml";
import { DocumentError } from "./document-error.ts";
import type { ReadLimits } from "./limits.ts";

/**
 * The parser's tokens of YAML. The parser has no limits, and takes a thousand bytes of memory for each
 * token: this stops it at too many tokens or too much nesting.
 *
 * @example new Composer(options).compose(yamlTokens(text, lines, limits), true, text.length)
 */
export function* yamlTokens(
  text: string,
  lines: LineCounter,
  limits: ReadLimits,
): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tokens = 0;
  let errors = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const start = parser.offset;
    const error = (reason: string) => {
      const { line, col } = lines.linePos(start);
      return new DocumentError([{ line, column: col, path: "", reason }]);
    };
    tokens += tokensOf(lexeme);
    if (tokens > limits.yamlTokens) {
      throw error(`has more than ${limits.yamlTokens} tokens`);
    }
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") errors++;
      yield token;
    }
    if (isTooDeep(parser.stack, limits.depth)) {
      throw error(`is nested more than ${limits.depth} levels deep`);
    }
    // No more are reported.
    if (errors >= limits.problems) break;
  }
  yield* parser.end();
}

function tokensOf(lexeme: string): number {
  if (lexeme === CST.SCALAR || lexeme[0] === " ") return 0;
  // Each invalid escape is a problem of its own.
  return lexeme[0] === '"' ? lexeme.split("\\").length : 1;
}

function isTooDeep(open: readonly CST.Token[], maxDepth: number): boolean {
  return open.length > maxDepth && open.filter(CST.isCollection).length > maxDepth;
}
