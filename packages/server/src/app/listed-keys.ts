import type { Reader } from "../store/db/connection.ts";
import { readKeys, readRegistryKeys, type StoredKey } from "../store/tables/keys.ts";

/** A key without its private part. */
export interface ListedKey {
  readonly kid: string;
  readonly use: "tokens" | "registry tokens";
  readonly algorithm: string;
  /** `retiring` keys sign nothing, and are accepted until their last token has expired. */
  readonly state: "current" | "next" | "retiring";
  /** ISO 8601. */
  readonly created: string;
  readonly retires?: string;
}

/** The keys that are accepted, newest first. */
export async function readListedKeys(reader: Reader, now: number): Promise<ListedKey[]> {
  const listed = (key: StoredKey, state: ListedKey["state"]) => ({
    kid: key.kid,
    state: key.retires === null ? state : ("retiring" as const),
    created: new Date(key.created).toISOString(),
    ...(key.retires !== null && { retires: new Date(key.retires).toISOString() }),
  });
  const signing = (await readKeys(reader, now)).map((key) => ({
    ...listed(key, "current"),
    use: "tokens" as const,
    algorithm: key.algorithm,
  }));
  const ofRegistries = await readRegistryKeys(reader, now);
  const current = ofRegistries.find((key) => key.retires === null);
  const registry = ofRegistries.toReversed().map((key) => ({
    ...listed({ ...key, algorithm: "ES256" }, key === current ? "current" : "next"),
    use: "registry tokens" as const,
    algorithm: "ES256",
  }));
  return [...signing, ...registry];
}
