/** A value, or a promise of it if something must be waited for. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a value: at once, if it need not be waited for. */
export function whenReady<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs a function. Errors that it throws reject as well, with what `failed` makes of both. */
export function attempt<T>(
  run: () => MaybePromise<T>,
  failed?: (error: unknown) => Promise<T>,
): MaybePromise<T> {
  try {
    const result = run();
    return result instanceof Promise && failed !== undefined ? result.catch(failed) : result;
  } catch (error) {
    return failed?.(error) ?? Promise.reject(error);
  }
}
