import type { TimeSlices } from "../../lib/scheduling/time-slices.ts";
import type { ResourceStore } from "../catalog.ts";
import type { EngineLimits } from "../limits.ts";
import { ListScheduler } from "./many-ranges.ts";
import type { PageTokens } from "./page-token.ts";

/** The parts that all lists share: page tokens, the limits of a page, and turns on the event loop. */
export class Lists extends ListScheduler {
  readonly pageTokens: PageTokens;
  readonly limits: Pick<EngineLimits, "pageBytes" | "manyRanges">;

  constructor(pageTokens: PageTokens, limits: Lists["limits"], slices: TimeSlices) {
    super(limits.manyRanges, slices);
    this.pageTokens = pageTokens;
    this.limits = limits;
  }
}

/** Dependencies of methods that list. */
export interface ListDeps extends ResourceStore {
  readonly lists: Lists;
}
