import type { Page } from "playwright-core";
import type { Keyboard } from "./keyboard.ts";
import type { ConsoleSite } from "./site.ts";

/** Where a walk is. */
export interface Walker {
  readonly site: ConsoleSite;
  readonly page: Page;
  readonly keys: Keyboard;
  /** The uid of the organization of the person at the keyboard. */
  readonly organization: string;
}

/** Flows that need no mouse, by what a person does; each continues where the one before it ended. */
export type Walks = Readonly<Record<string, (walker: Walker) => Promise<void>>>;
