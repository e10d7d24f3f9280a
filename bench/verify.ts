/** Making sure that what is about to be timed is the right answer. */
import { deepStrictEqual } from "node:assert";
import { ORGANISATION } from "./organisation.ts";

/** @example groupPath(uid) // "/iam/v2beta1/groups/0123…" */
export function groupPath(uid: string): string {
  return `/iam/v2beta1/groups/${uid}`;
}

export const PAGE_SIZE = 50;

/** The list that several rows are about: below the organisation, by name. */
export function listPath(skip = 0): string {
  const skipping = skip === 0 ? "" : `&skip=${skip}`;
  return `/iam/v2beta1/groups?uidp.descendantsOf=${ORGANISATION}&pageSize=${PAGE_SIZE}&orderBy=name${skipping}`;
}

/** What a plain GET of a reference gets. */
export async function plainAnswer(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

/** @example mustEqual(group.uid, uid); */
export function mustEqual(actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected, "a wrong answer: nothing is timed");
}

interface Page {
  readonly groups: readonly { readonly name: string; readonly uid: string }[];
  readonly nextPageToken: string;
  readonly totalCount: string;
  readonly skipped: number;
}

/**
 * Holds a page against what the store says is on it.
 *
 * @example mustBePage(await server.rest(listPath()), { names: namesAt(data, 0, 50), total: 100_000, skipped: 0 });
 */
export function mustBePage(
  text: string,
  expected: { readonly names: readonly string[]; readonly total: number; readonly skipped: number },
): void {
  const page = JSON.parse(text) as Page;
  mustEqual(
    page.groups.map((group) => group.name),
    expected.names,
  );
  mustEqual(page.totalCount, String(expected.total));
  mustEqual(page.skipped, expected.skipped);
  mustEqual(page.nextPageToken !== "", true);
}
