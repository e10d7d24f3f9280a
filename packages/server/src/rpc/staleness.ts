import { invalidArgument } from "../lib/errors.ts";
import type { RequestInfo } from "./call.ts";

/** The header, or metadata entry, of a request that allows outdated data, and how old this may be. */
export const MAX_STALENESS_HEADER = "wharf-max-staleness";

/** That of a response with data that may be outdated, and how old it can be. */
export const STALENESS_HEADER = "wharf-staleness";

/** How old the data of a response may be, in milliseconds; undefined for current data. */
export function maxStalenessOf({
  maxStaleness,
}: Pick<RequestInfo, "maxStaleness">): number | undefined {
  if (maxStaleness === undefined) return undefined;
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(maxStaleness)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1_000;
  const description = `${MAX_STALENESS_HEADER} must be a number of seconds such as 10s, not ${JSON.stringify(maxStaleness)}`;
  throw invalidArgument({ field: MAX_STALENESS_HEADER, description });
}

/** The value of the response header. */
export function stalenessText(ms: number): string {
  return `${(Math.ceil(ms) / 1_000).toFixed(3)}s`;
}
