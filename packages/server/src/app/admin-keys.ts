import { ConfigError, type Settings } from "../config/settings.ts";
import { CLIENT_SECRET } from "../iam/identity-providers.ts";
import { dropStoredKey, loadKey, readKey } from "../secrets/key.ts";
import { Secrets } from "../secrets/secrets.ts";
import type { Store } from "../store/db/store.ts";
import { ownersOfSealed } from "../store/tables/secrets.ts";
import { withStore, withUnopenedSecrets } from "./admin-store.ts";
import { auditOperator, type Rotation, type RotationMode, rotateKeys } from "./key-rotation.ts";
import { RESOURCES } from "./resources.ts";

/**
 * What operators do about keys: rotate them, seal them with another secret key, start over without it.
 */

/**
 * Replaces the keys that sign tokens: see RotationMode. Running servers follow with their next request.
 */
export function rotate(settings: Settings, mode: RotationMode): Promise<KeysRotated> {
  return withStore(settings, async (store, secrets) => {
    const rotation = await rotateKeys(store, secrets, mode);
    return { ...rotation, clientSecrets: await providersWithSecret(store) };
  });
}

export interface KeysRotated extends Rotation {
  /** The identity providers whose client secret is, or was, stored: a rotation cannot replace those. */
  readonly clientSecrets: readonly ProviderName[];
}

export interface ProviderName {
  readonly uid: string;
  readonly name: string;
}

/**
 * Starts over after the secret key was lost: drops everything that was sealed with it, and rotates the
 * rest as `all` does. Client secrets of identity providers are gone and must be given again.
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
 * Seals all keys and secrets again with another secret key. The old one opens nothing that is written
 * from then on. Returns how many values there are.
 */
export function reseal(settings: Settings, newKeyFile: string): Promise<number> {
  const key = readKey(newKeyFile);
  if (key === undefined) throw new ConfigError(`--new-secret-key-file ${newKeyFile} is missing`);
  return withStore(settings, async (store, secrets) => {
    if (await new Secrets(key).isKeyOf(store.reader))
      throw new ConfigError(`${newKeyFile} is the present secret key: make a new one`);
    const values = await store.write(async (tx) => {
      const sealed = await secrets.reseal(tx, key);
      await auditOperator(tx, "keys reseal", { values: sealed }, Date.now());
      return sealed;
    });
    await store.scrub(["secrets", "installation"]);
    return values;
  });
}

async function providersWithSecret(store: Store): Promise<ProviderName[]> {
  const uids = await ownersOfSealed(store.reader, CLIENT_SECRET);
  const known = await RESOURCES.identityProviders.findMany(store.reader, uids);
  return uids.map((uid) => ({ uid, name: known.get(uid)?.name ?? "" }));
}
