/** Checks of responses, before they are timed. */
import { deepStrictEqual } from "node:assert";
import { ORGANIZATION } from "./organization.ts";

export function groupPath(uid: string): string {
  return `/iam/v2beta1/groups/${uid}`;
}

export const PAGE_SIZE = 50;

/** The list of several rows: the children of the organization, by name. */
export function listPath(skip = 0): string {
  const skipping = skip === 0 ? "" : `&skip=${skip}`;
  return `/iam/v2beta1/groups?uidp.descendantsOf=${ORGANIZATION}&pageSize=${PAGE_SIZE}&orderBy=name${skipping}`;
}

/** The response of a reference to a plain GET. */
export async function plainAnswer(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

export function mustEqual(actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected, "wrong response: nothing is timed");
}

interface Page {
  readonly groups: readonly { readonly name: string; readonly uid: string }[];
  readonly nextPageToken: string;
  readonly totalCount: string;
  readonly skipped: number;
}

/** Compares a page with the expected rows. */
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
