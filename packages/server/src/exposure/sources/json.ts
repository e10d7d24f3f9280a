import { SourceError } from "./errors.ts";
import type { TemporaryFile } from "./temporary-file.ts";

/** A file of JSON. */
export async function readJson(file: TemporaryFile): Promise<unknown> {
  const bytes = await file.read(0, file.size);
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    throw new SourceError("INVALID_DATA", "it is not JSON, or not complete");
  }
}
