import { ConfigError, type Settings } from "../config/settings.ts";
import { CLIENT_SECRET } from "../iam/identity-providers.ts";
import { dropStoredKey, loadKey, readKey } from "../secrets/key.ts";
import { Secrets } from "../secrets/secrets.ts";
import type { Store } from "../store/db/store.ts";
import { ownersOfSealed } from "../store/tables/secrets.ts";
import { withStore, withUnopenedSecrets } from "./admin-store.ts";
import { auditOperator, type Rotation, type RotationMode, rotateKeys } from "./key-rotation.ts";
import { type ListedKey, readListedKeys } from "./listed-keys.ts";
import { RESOURCES } from "./resources.ts";

/**
 * Operator commands for keys: rotate them, reseal them with another secret key, recover from a lost one.
 */

/** Rotates the signing keys: see RotationMode. Running servers use the new ones on the next request. */
export function rotate(settings: Settings, mode: RotationMode): Promise<KeysRotated> {
  return withStore(settings, async (store, secrets) => {
    const rotation = await rotateKeys(store, secrets, mode);
    return { ...rotation, clientSecrets: await providersWithSecret(store) };
  });
}

/** The keys that are accepted, newest first. */
export function listKeys(settings: Settings): Promise<ListedKey[]> {
  return withStore(settings, (store) => readListedKeys(store.reader, Date.now()));
}

export interface KeysRotated extends Rotation {
  /** Identity providers with a stored client secret, which a rotation cannot replace. */
  readonly clientSecrets: readonly ProviderName[];
}

export interface ProviderName {
  readonly uid: string;
  readonly name: string;
}

/**
 * Recovers from a lost secret key: drops everything that was sealed with it, and rotates the rest as
 * `all` does. Client secrets of identity providers are lost and must be set again.
 */
export function replaceLostSecretKey(settings: Settings): Promise<KeysRotated> {
  return withUnopenedSecrets(settings, async (store) => {
    const { key, from } = await loadKey(settings, store, false);
    const secrets = new Secrets(key);
    if (await secrets.isKeyOf(store.reader))
      throw new ConfigError(`${from} opens the stored keys and secrets: nothing is lost`);
    const clientSecrets = await providersWithSecret(store);
    const rotation = await rotateKeys(store, secrets, "all", async (tx) => {
      await secrets.replaceLostKey(tx);
      if (settings.secretKeyFile !== "") await dropStoredKey(tx);
    });
    return { ...rotation, clientSecrets };
  });
}

/**
 * Reseals all keys and secrets with another secret key. Afterwards the old key decrypts nothing in the
 * store. Returns the number of values.
 */
export function reseal(settings: Settings, newKeyFile: string): Promise<number> {
  const key = readKey(newKeyFile);
  if (key === undefined) throw new ConfigError(`--new-secret-key-file ${newKeyFile} is missing`);
  return withStore(settings, async (store, secrets) => {
    if (await new Secrets(key).isKeyOf(store.reader))
      throw new ConfigError(`${newKeyFile} is the current secret key: generate a new one`);
    const values = await store.write(async (tx) => {
      const sealed = await secrets.reseal(tx, key);
      auditOperator(tx, "keys reseal", { values: sealed }, Date.now());
      return sealed;
    });
    await store.scrub(["secrets", "installation"]);
    return values;
  });
}

async function providersWithSecret(store: Store): Promise<ProviderName[]> {
  const uids = await ownersOfSealed(store.reader, CLIENT_SECRET);
  const providers = await RESOURCES.identityProviders.findMany(store.reader, uids);
  return uids.map((uid) => ({ uid, name: providers.get(uid)?.name ?? "" }));
}
