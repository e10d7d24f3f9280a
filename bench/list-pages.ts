import { mustEqual, PAGE_SIZE } from "./verify.ts";
import type { Wharf } from "./wharf.ts";

interface Page {
  readonly groups: readonly unknown[];
  readonly nextPageToken: string;
}

/** The paths of the first pages of a list of groups, as a client that reads page after page requests them. */
export async function pagePaths(server: Wharf, list: string, pages: number): Promise<string[]> {
  const paths = [list];
  for (let path = list; paths.length < pages; paths.push(path)) {
    const { groups, nextPageToken }: Page = JSON.parse(await server.rest(path));
    mustEqual(groups.length, PAGE_SIZE);
    path = `${list}&pageToken=${encodeURIComponent(nextPageToken)}`;
  }
  return paths;
}
