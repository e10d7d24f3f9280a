import type { Secrets } from "../../secrets/secrets.ts";
import type { EventNames } from "../cloud-event.ts";
import type { SinkPolicy } from "./sink-policy.ts";

/** What the hooks of subscriptions need from outside the engine. */
export interface EventsDeps {
  /** Where the secrets of subscriptions are sealed. */
  readonly secrets: Secrets;
  readonly sinkPolicy: SinkPolicy;
  names(): EventNames;
}

declare module "../../engine/definition.ts" {
  interface HookDeps {
    readonly events: EventsDeps;
  }
}
