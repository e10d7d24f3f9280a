/** Longer lines are of no file that sources have. */
export const MAX_LINE_LENGTH = 1_000;

/** The lines of a text, as they come in its chunks. Throws what `tooLong` returns for a longer one. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  tooLong: (start: string) => Error,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH) throw tooLong(rest);
    yield lines.map((line) => line.trimEnd());
  }
  yield [rest.trimEnd()];
}
