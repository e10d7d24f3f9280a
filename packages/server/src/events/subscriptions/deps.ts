import type { Secrets } from "../../secrets/secrets.ts";
import type { EventNames } from "../cloud-event.ts";
import type { SinkPolicy } from "./sink-policy.ts";

/** Dependencies of the hooks of subscriptions outside the engine. */
export interface EventsDeps {
  /** Seals the secrets of subscriptions. */
  readonly secrets: Secrets;
  readonly sinkPolicy: SinkPolicy;
  names(): EventNames;
}

declare module "../../engine/definition.ts" {
  interface HookDeps {
    readonly events: EventsDeps;
  }
}
