import { createHmac, timingSafeEqual } from "node:crypto";
import type { Settings } from "../../config/settings.ts";
import { readBearer } from "../../lib/bearer.ts";
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts";

/**
 * The bearer secret with which a registry authenticates its notifications. It is derived from a secret
 * of the installation and the host of the registry, so none is stored.
 */
export function registrySecret(installation: InstallationSecrets, host: string): string {
  return deriveSecret(installation.get("registry-notifications"), host);
}

function deriveSecret(root: Buffer, host: string): string {
  return createHmac("sha256", root).update(host).digest("base64url");
}

/** Authenticates notifications of attached registries. */
export class WebhookAuth {
  readonly #installation: InstallationSecrets;
  readonly #hosts: readonly string[];
  #derived: { readonly root: Buffer; readonly secrets: ReadonlyMap<string, Buffer> } | undefined;

  constructor(installation: InstallationSecrets, { registryUrls }: Pick<Settings, "registryUrls">) {
    this.#installation = installation;
    this.#hosts = [...registryUrls.keys()];
  }

  /** The secrets by host, derived again after a rotation. */
  async #secrets(): Promise<ReadonlyMap<string, Buffer>> {
    await this.#installation.reloadIfChanged();
    const root = this.#installation.get("registry-notifications");
    if (this.#derived?.root !== root) {
      const pairs = this.#hosts.map(
        (host) => [host, Buffer.from(deriveSecret(root, host))] as const,
      );
      this.#derived = { root, secrets: new Map(pairs) };
    }
    return this.#derived.secrets;
  }

  /** The host of the registry whose secret the authorization header has; undefined if it is invalid. */
  async authenticate(authorization: string | undefined): Promise<string | undefined> {
    const secret = readBearer(authorization);
    if (secret === undefined) return undefined;
    const presented = Buffer.from(secret);
    let found: string | undefined;
    // Compares with every secret, so that the duration reveals nothing.
    for (const [host, expected] of await this.#secrets()) {
      if (presented.length === expected.length && timingSafeEqual(presented, expected)) {
        found = host;
      }
    }
    return found;
  }
}
