import type { Secrets } from "../../secrets/secrets.ts";
import type { SourcePolicy } from "./checks.ts";

/** Dependencies of the hooks of vulnerability sources outside the engine. */
export interface SourceDeps {
  /** Seals the tokens of sources. */
  readonly secrets: Secrets;
  readonly policy: SourcePolicy;
}

declare module "../../engine/definition.ts" {
  interface HookDeps {
    readonly vulnerabilitySources: SourceDeps;
  }
}
