import { text } from "node:stream/consumers";
import { usageError } from "../../errors.ts";

/**
 * A secret that an option names: itself, or `-` for standard input, since what is on a command line
 * is there for all to see.
 */
export async function readSecret(
  source: string,
  given: string | undefined,
): Promise<string | undefined> {
  if (given !== "-") return given?.trim();
  const read = (await text(process.stdin)).trim();
  if (read === "") throw usageError(`${source} -: there is nothing on standard input`);
  return read;
}
