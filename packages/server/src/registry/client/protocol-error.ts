import { failedPrecondition, WharfError } from "../../lib/errors.ts";

/**
 * Resolves to a fallback if the registry answers with a protocol error: a retry would get the same, and
 * one broken repository must not block the others. Other errors, such as an unavailable registry, reject.
 */
export async function fallbackOnProtocolError<T>(
  request: Promise<T>,
  fallback: T,
  onError?: (error: WharfError) => void,
): Promise<T> {
  try {
    return await request;
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (error.code !== "UNKNOWN") throw thrown;
    onError?.(error);
    return fallback;
  }
}

/** Turns a protocol error into FAILED_PRECONDITION, as a retry would not help. */
export async function asPrecondition<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (thrown) {
    const { code, message } = WharfError.from(thrown);
    if (code !== "UNKNOWN") throw thrown;
    const description = message.slice(message.indexOf(": ") + 2);
    throw failedPrecondition({ type: "REGISTRY_REFUSED", description });
  }
}
