import { isUid } from "@wharf/contract";
import { ANONYMOUS_UID, OPERATOR_UID } from "../auth/caller.ts";
import { SigningKeys } from "../auth/keys.ts";
import { issueToken } from "../auth/token.ts";
import { knownAddresses } from "../config/addresses.ts";
import { ConfigError, type Settings } from "../config/settings.ts";
import { browserUrl } from "../login/local/passkeys.ts";
import { createResetCode, RESET_PATH } from "../login/local/reset.ts";
import { registrySecret } from "../registry/ingest/webhook-auth.ts";
import { InstallationSecrets } from "../secrets/installation-secrets.ts";
import type { Store } from "../store/db/store.ts";
import { withStore } from "./admin-store.ts";
import { RESOURCES } from "./resources.ts";

/** Operator commands on the store. They need access to it, and work whether the server runs or not. */

/** A token of the operator, or of an identity, valid for an hour. */
export function operatorToken(settings: Settings, identity?: string): Promise<string> {
  return withStore(settings, async (store, secrets) => {
    if (identity !== undefined && !(await exists(store, identity))) {
      throw new ConfigError(`there is no identity ${identity}`);
    }
    const keys = await SigningKeys.load(store, secrets);
    const addresses = await knownAddresses(store, settings);
    const content = {
      subject: identity ?? OPERATOR_UID,
      audiences: [addresses.baseUrl],
      boundary: undefined,
    };
    return issueToken(keys, addresses, content, Date.now()).token;
  });
}

/** The secret that a registry authenticates its notifications with. */
export function notificationSecret(settings: Settings, host?: string): Promise<string> {
  const attached = [...settings.registryUrls.keys()];
  const which = host ?? (attached.length === 1 ? attached[0] : undefined) ?? settings.registryHost;
  if (which === "") throw new ConfigError("name the registry: its host, as in --registry-urls");
  return withStore(settings, async (store, secrets) =>
    registrySecret(await InstallationSecrets.open(store, secrets), which),
  );
}

/** Code and address with which the owner of a local account resets it. */
export interface ResetOffer {
  readonly url: string;
  readonly code: string;
}

/**
 * A single-use code to set a new password or passkey of a local account, valid for a day. Until it is
 * used, the existing credentials stay valid.
 */
export function resetCode(settings: Settings, username: string): Promise<ResetOffer> {
  return withStore(settings, async (store) => {
    const code = await createResetCode(store, username, Date.now());
    if (code === undefined) throw new ConfigError(`there is no local account ${username}`);
    const { authUrl } = await knownAddresses(store, settings);
    return { url: `${browserUrl(authUrl)}${RESET_PATH}`, code };
  });
}

async function exists(store: Store, identity: string): Promise<boolean> {
  if (identity === ANONYMOUS_UID)
    throw new ConfigError("no token is issued for the anonymous identity");
  return isUid(identity) && (await RESOURCES.identities.find(store.reader, identity)) !== undefined;
}
