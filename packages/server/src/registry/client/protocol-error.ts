import { WharfError } from "../../lib/errors.ts";

/**
 * What a registry was asked for, or something else in its place where it answers oddly: that is so
 * the next time too, and must not keep us from the rest. A registry that cannot be reached is
 * another matter, and rejects.
 *
 * @example const config = await fallbackOnProtocolError(remote.config(path, digest), undefined);
 */
export async function fallbackOnProtocolError<T>(
  asked: Promise<T>,
  otherwise: T,
  note?: (error: WharfError) => void,
): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (error.code !== "UNKNOWN") throw thrown;
    note?.(error);
    return otherwise;
  }
}
