import type { Addresses } from "../config/addresses.ts";
import type { Engine } from "../engine/engine.ts";

export interface ScimDeps {
  readonly engine: Engine;
  /** How many writes an identity provider may send. */
  readonly writesPerMinute: number;
  addresses(): Addresses;
}
