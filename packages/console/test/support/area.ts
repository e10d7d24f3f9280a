import type { ConsoleSite } from "./site.ts";

/** A part of the console, for the tests that look at every screen. */
export interface Area {
  /** Creates something to see on each of its screens; returns what their paths need. */
  readonly fill: (site: ConsoleSite, organization: string) => Promise<Filled>;
  /** The screens with content, by the name of their picture. */
  readonly screens: Readonly<Record<string, (filled: Filled) => string>>;
  /** The screens of an organization that has nothing yet. */
  readonly empty: readonly string[];
  /** The screens of an organization that say what went wrong; those above, unless others are given. */
  readonly failing?: readonly string[];
}

/** Uids of what was created, by name; `organization` is always among them. */
export type Filled = Readonly<Record<string, string>>;
