import { createHmac, timingSafeEqual } from "node:crypto";
import type { Settings } from "../../config/settings.ts";
import { readBearer } from "../../lib/bearer.ts";
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts";

/**
 * The secret that a registry shows with its notifications. It follows from a secret of the
 * installation and the registry's host, so that there is one for each and none is kept anywhere.
 *
 * @example const secret = registrySecret(installation, "registry.example.com");
 */
export function registrySecret(installation: InstallationSecrets, host: string): string {
  return derived(installation.get("registry-notifications"), host);
}

function derived(root: Buffer, host: string): string {
  return createHmac("sha256", root).update(host).digest("base64url");
}

/** The registries that we keep track of. */
export class AttachedRegistries {
  readonly #installation: InstallationSecrets;
  readonly #hosts: readonly string[];
  #derived: { readonly root: Buffer; readonly secrets: ReadonlyMap<string, Buffer> } | undefined;

  /** @example const attached = new AttachedRegistries(installation, settings); */
  constructor(installation: InstallationSecrets, { registryUrls }: Pick<Settings, "registryUrls">) {
    this.#installation = installation;
    this.#hosts = [...registryUrls.keys()];
  }

  /** The secret of each host. A rotation replaces their root while we run. */
  async #secrets(): Promise<ReadonlyMap<string, Buffer>> {
    await this.#installation.catchUp();
    const root = this.#installation.get("registry-notifications");
    if (this.#derived?.root !== root) {
      const pairs = this.#hosts.map((host) => [host, Buffer.from(derived(root, host))] as const);
      this.#derived = { root, secrets: new Map(pairs) };
    }
    return this.#derived.secrets;
  }

  /**
   * The host of the registry whose secret an authorization header shows; undefined for any other.
   *
   * @example await attached.hostOf("Bearer …") // "registry.example.com"
   */
  async hostOf(authorization: string | undefined): Promise<string | undefined> {
    const secret = readBearer(authorization);
    if (secret === undefined) return undefined;
    const shown = Buffer.from(secret);
    let found: string | undefined;
    // All are compared, so that the time it takes says nothing.
    for (const [host, known] of await this.#secrets()) {
      if (shown.length === known.length && timingSafeEqual(shown, known)) found = host;
    }
    return found;
  }
}
