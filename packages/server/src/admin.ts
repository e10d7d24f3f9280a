import { isUid } from "@wharf/contract";
import { knownAddresses } from "./addresses.ts";
import { ANYONE_UID, OPERATOR_UID } from "./auth/caller.ts";
import { SigningKeys } from "./auth/keys.ts";
import { issueToken } from "./auth/token.ts";
import { ConfigError, type Settings } from "./config.ts";
import { browserUrl } from "./login/local/passkey-site.ts";
import { offerReset, RESET_PATH } from "./login/local/reset.ts";
import { registrySecret } from "./registry/attached.ts";
import { RegistryKeys } from "./registry/keys.ts";
import { RESOURCES } from "./resources.ts";
import { hasStore, openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";

/**
 * What whoever can read the store may do without asking the server, while it runs or not.
 */

/**
 * A token of the operator, or of an identity, valid for an hour.
 *
 * @example console.log(await operatorToken(settings));
 */
export function operatorToken(settings: Settings, identity?: string): Promise<string> {
  return withStore(settings, async (store) => {
    if (identity !== undefined && !(await exists(store, identity))) {
      throw new ConfigError(`there is no identity ${identity}`);
    }
    const keys = await SigningKeys.load(store);
    const addresses = await knownAddresses(store, settings);
    const content = { subject: identity ?? OPERATOR_UID, audiences: [addresses.baseUrl] };
    return issueToken(keys, addresses, content, Date.now()).token;
  });
}

/**
 * Puts new signing keys in place, for our own tokens and for those of registries. Running servers use
 * them from their next request on; tokens that the old ones signed stay good until they end.
 *
 * @example const kid = await rotateKeys(settings);
 */
export function rotateKeys(settings: Settings): Promise<string> {
  return withStore(settings, async (store) => {
    await RegistryKeys.rotate(store);
    return SigningKeys.rotate(store);
  });
}

/**
 * The secret that a registry shows with its notifications.
 *
 * @example console.log(await notificationSecret(settings, "registry.example.com"));
 */
export function notificationSecret(settings: Settings, host?: string): Promise<string> {
  const attached = [...settings.registryUrls.keys()];
  const which = host ?? (attached.length === 1 ? attached[0] : undefined) ?? settings.registryHost;
  if (which === "") throw new ConfigError("name the registry: its host, as in --registry-urls");
  return withStore(settings, (store) => registrySecret(store, which));
}

/** What a registry needs to know of us to work with us. */
export interface RegistryWiring {
  readonly host: string;
  readonly secret: string;
  readonly baseUrl: string;
  readonly authUrl: string;
}

/**
 * What the registry of a host is wired up with.
 *
 * @example const { secret, authUrl } = await registryWiring(settings, "127.0.0.1:5000");
 */
export function registryWiring(settings: Settings, host: string): Promise<RegistryWiring> {
  return withStore(settings, async (store) => {
    const addresses = await knownAddresses(store, settings);
    return { host, secret: await registrySecret(store, host), ...addresses };
  });
}

/** What the owner of a local account needs to choose a new password or passkey. */
export interface ResetOffer {
  readonly url: string;
  readonly code: string;
}

/**
 * A code that lets the owner of a local account choose a new password or passkey, once, within a
 * day. Until it is used, what they had before stays good.
 *
 * @example const { url, code } = await resetCode(settings, "ada");
 */
export function resetCode(settings: Settings, username: string): Promise<ResetOffer> {
  return withStore(settings, async (store) => {
    const code = await offerReset(store, username, Date.now());
    if (code === undefined) throw new ConfigError(`there is no local account ${username}`);
    const { authUrl } = await knownAddresses(store, settings);
    return { url: `${browserUrl(authUrl)}${RESET_PATH}`, code };
  });
}

async function exists(store: Store, identity: string): Promise<boolean> {
  if (identity === ANYONE_UID) throw new ConfigError("there are no tokens of anyone");
  return isUid(identity) && (await RESOURCES.identities.find(store.reader, identity)) !== undefined;
}

async function withStore<T>(settings: Settings, work: (store: Store) => Promise<T>): Promise<T> {
  // A mistyped directory would become a store of its own, whose tokens no server accepts.
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
