import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { repoPaths } from "../../store/tables/exposure/images/image-names.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";
import { visibleReposNamed } from "../../store/tables/exposure/images/visible-repos.ts";

export const DAY_MS = 24 * 3_600_000;

const DEFAULT_TAG = "latest";

const MAX_DAYS = 400;

const DEFAULT_DAYS = 30;

/** Repos that one name stands for: others have the same. */
const MAX_REPOS = 20;

/** A tag as a request names it. */
export interface TagName {
  readonly repo: string;
  readonly tag: string;
}

/** A tag of a repo that the caller may see. */
export interface FoundTag extends TagName {
  readonly uid: string;
}

/** The tags of visible repos with a name, or a path of names. */
export async function findTags(
  reader: Reader,
  intervals: readonly RepoInterval[],
  references: readonly TagName[],
): Promise<FoundTag[]> {
  const found: FoundTag[] = [];
  for (const { repo, tag } of references) {
    const name = repo.slice(repo.lastIndexOf("/") + 1);
    const named = await visibleReposNamed(reader, intervals, [...new Set([repo, name])]);
    const paths = await repoPaths(
      reader,
      named.map(({ uid }) => uid),
    );
    const matching = named.filter((one) => one.name === repo || paths.get(one.uid) === repo);
    for (const { uid } of matching.slice(0, MAX_REPOS)) {
      found.push({ repo, tag: tag || DEFAULT_TAG, uid });
    }
  }
  return found;
}

/** The days of a range, as the midnights at which they begin. */
export function readDays(
  from: Timestamp | undefined,
  to: Timestamp | undefined,
  names: { readonly from: string; readonly to: string },
  now: number,
): number[] {
  const last = dayOf(to === undefined ? now : Math.min(timestampMs(to), now));
  const first = from === undefined ? last - (DEFAULT_DAYS - 1) * DAY_MS : dayOf(timestampMs(from));
  if (first > last) {
    const description = `${names.from} must not be after ${names.to}`;
    throw invalidArgument({ field: names.from, description });
  }
  const count = (last - first) / DAY_MS + 1;
  if (count > MAX_DAYS) {
    const description = `there are ${count} days from ${names.from} to ${names.to}; the maximum is ${MAX_DAYS}`;
    throw invalidArgument({ field: names.from, description });
  }
  return Array.from({ length: count }, (_, at) => first + at * DAY_MS);
}

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}
