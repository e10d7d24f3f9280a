import type { Secrets } from "../../secrets/secrets.ts";

/** Which URLs may be read, as for sinks of subscriptions. */
export interface UpstreamPolicy {
  /** Why a URL cannot be read; undefined if it can. */
  problem(url: string): string | undefined;
  mayBePrivate(url: URL): boolean;
}

/** Dependencies of the hooks of upstreams outside the engine. */
export interface UpstreamDeps {
  /** Seals the passwords of upstreams. */
  readonly secrets: Secrets;
  readonly policy: UpstreamPolicy;
}

declare module "../../engine/definition.ts" {
  interface HookDeps {
    readonly upstreams: UpstreamDeps;
  }
}
