import { ConfigError, type Settings } from "../config/settings.ts";
import { Secrets } from "../secrets/secrets.ts";
import { hasStore, openStore } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import { RESOURCES } from "./resources.ts";

/**
 * Opens the store for an admin command, whether the server runs or not. Every command needs the secret
 * key, as the server does: with a wrong key it fails without changes.
 */
export function withStore<T>(
  settings: Settings,
  work: (store: Store, secrets: Secrets) => Promise<T>,
): Promise<T> {
  return withUnopenedSecrets(settings, async (store) =>
    work(store, await Secrets.open(settings, store)),
  );
}

/** As withStore, for a store whose secret key is lost. */
export async function withUnopenedSecrets<T>(
  settings: Settings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  // Otherwise a mistyped directory would become a new store, whose tokens no server accepts.
  if (!hasStore(settings)) {
    throw new ConfigError(
      `there is no store in ${settings.data}: start the server first, or name its directory with --data`,
    );
  }
  const tables = Object.values(RESOURCES).map((resource) => resource.table);
  const store = await openStore(settings, tables, { committed() {} });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
