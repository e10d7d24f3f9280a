import { RESOURCES } from "../../../src/app/resources.ts";
import { OPERATOR_UID } from "../../../src/auth/caller.ts";
import { SigningKeys } from "../../../src/auth/keys.ts";
import { issueToken } from "../../../src/auth/token.ts";
import { readSettings } from "../../../src/config/settings.ts";
import { InstallationSecrets } from "../../../src/secrets/installation-secrets.ts";
import { Secrets } from "../../../src/secrets/secrets.ts";
import { openStore } from "../../../src/store/db/open.ts";
import type { Store } from "../../../src/store/db/store.ts";
import type { TestServer } from "./test-server.ts";

/**
 * The store of a running server, opened from beside it: to look at its rows, and to sign tokens by
 * the dozen without starting the admin command for each.
 */
export class Inside {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly #keys: SigningKeys;
  readonly #url: string;

  private constructor(store: Store, secrets: Secrets, keys: SigningKeys, url: string) {
    this.store = store;
    this.secrets = secrets;
    this.#keys = keys;
    this.#url = url;
  }

  /**
   * @example const inside = await Inside.open(server);
   */
  static async open(server: TestServer): Promise<Inside> {
    const settings = await readSettings(server.storeFlags, {});
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    const store = await openStore(settings, tables, { committed() {} });
    const secrets = await Secrets.open(settings, store);
    return new Inside(store, secrets, await SigningKeys.load(store, secrets), server.url);
  }

  /** A token of an identity, or of the operator. */
  async token(identity: string = OPERATOR_UID): Promise<string> {
    const addresses = { baseUrl: this.#url, authUrl: this.#url };
    const content = { subject: identity, audiences: [this.#url], boundary: undefined };
    return issueToken(this.#keys, addresses, content, Date.now()).token;
  }

  /** The installation's own secrets. */
  installation(): Promise<InstallationSecrets> {
    return InstallationSecrets.open(this.store, this.secrets);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
