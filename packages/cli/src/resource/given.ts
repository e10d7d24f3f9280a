import { usageError } from "../errors.ts";

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Only what was given. */
export function given<T extends object>(values: T): Given<T> {
  const there = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as Given<T>;
}

/** The same for an update, which needs something to change. */
export function changesOf<T extends object>(values: T, options: string): Given<T> {
  const changes = given(values);
  if (Object.keys(changes).length > 0) return changes;
  throw usageError("there is nothing to change", `give ${options}`);
}
