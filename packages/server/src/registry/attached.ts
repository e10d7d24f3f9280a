import { createHmac, timingSafeEqual } from "node:crypto";
import type { Settings } from "../config.ts";
import { installationSecret } from "../store/installation.ts";
import type { Store } from "../store/store.ts";

/**
 * The secret that a registry shows with its notifications. It follows from a secret of the
 * installation and the registry's host, so that there is one for each and none is kept anywhere.
 *
 * @example const secret = await registrySecret(store, "registry.example.com");
 */
export async function registrySecret(store: Store, host: string): Promise<string> {
  const root = await installationSecret(store, "registry-notifications");
  return createHmac("sha256", root).update(host).digest("base64url");
}

/** The registries that we keep track of. */
export class AttachedRegistries {
  readonly #secrets: ReadonlyMap<string, Buffer>;

  private constructor(secrets: ReadonlyMap<string, Buffer>) {
    this.#secrets = secrets;
  }

  /** @example const attached = await AttachedRegistries.open(store, settings); */
  static async open(store: Store, { registryUrls }: Settings): Promise<AttachedRegistries> {
    const secrets = new Map<string, Buffer>();
    for (const host of registryUrls.keys()) {
      secrets.set(host, Buffer.from(await registrySecret(store, host)));
    }
    return new AttachedRegistries(secrets);
  }

  /**
   * The host of the registry whose secret an authorization header shows; undefined for any other.
   *
   * @example attached.hostOf("Bearer …") // "registry.example.com"
   */
  hostOf(authorization: string | undefined): string | undefined {
    const [scheme, secret] = (authorization ?? "").split(" ");
    if (scheme?.toLowerCase() !== "bearer" || !secret) return undefined;
    const shown = Buffer.from(secret);
    let found: string | undefined;
    // All are compared, so that the time it takes says nothing.
    for (const [host, known] of this.#secrets) {
      if (shown.length === known.length && timingSafeEqual(shown, known)) found = host;
    }
    return found;
  }
}
