import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { storeNumberedGroups } from "../../../server/test/support/world/numbered-groups.ts";
import { ConsoleSite } from "../support/site.ts";

const GROUPS = 1_000_000;

/** Nothing is loaded beyond what is shown: a page of the table, and one of the tree. */
const ROWS_PER_PAGE = 50;

describe("the console with 1,000,000 folders", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  /** The requests for groups of a step. */
  let asked: Request[] = [];

  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
    await storeNumberedGroups(site.world.server, organization, "team-", GROUPS);
    await site.signInAt();
    page.on("request", (request) => {
      if (new URL(request.url()).pathname.startsWith("/iam/v2beta1/groups")) asked.push(request);
    });
  });
  after(() => site.stop());

  /**
   * The most different requests for groups, and rows in their answers, that a step takes. Screens may be read once more
   * when their stream of events begins: that does not count.
   */
  async function within(requests: number, most: number, step: () => Promise<void>): Promise<void> {
    // What an earlier step began must not count.
    await page.goto("about:blank");
    asked = [];
    await step();
    const queries = new Map(asked.map((one) => [queryOf(one), one]));
    let rows = 0;
    for (const request of queries.values()) {
      const body = await (await request.response())?.json();
      rows += body?.groups?.length ?? 1;
    }
    const about = [...queries.keys()].join("\n");
    assert.ok(queries.size <= requests, `${queries.size} requests:\n${about}`);
    assert.ok(rows <= most, `${rows} rows:\n${about}`);
  }

  /** What a request asks for. The token of a page differs each time. */
  function queryOf(request: Request): string {
    const { pathname, searchParams } = new URL(request.url());
    if (searchParams.has("page_token")) searchParams.set("page_token", "…");
    return `${pathname}?${decodeURIComponent(searchParams.toString())}`;
  }

  const item = (text: string) => page.getByRole("treeitem", { name: text });

  test("the first rows, the tree and the counts take a few small requests", async () => {
    // The table, the tree, two counts, the group itself and its name.
    await within(6, 2 * ROWS_PER_PAGE + 4, async () => {
      await page.goto(site.at(`folders/${organization}`));
      await page.getByText("1 to 50 of 1,000,000").waitFor();
      await item("team-0000049").waitFor();
      await page.getByRole("list", { name: "Contents" }).getByText("1,000,000").waitFor();
    });
  });

  test("the next children take one request, and the last page as many as the first", async () => {
    await within(7, 3 * ROWS_PER_PAGE + 4, async () => {
      await page.goto(site.at(`folders/${organization}?page=${GROUPS / ROWS_PER_PAGE}`));
      await page.getByText(/to 1,000,000 of 1,000,000$/).waitFor();
      await item("Show more").click();
      await item("team-0000099").waitFor();
    });
  });

  test("a folder in the middle is in the tree, and nothing around it", async () => {
    const { body } = await site.world.http.get("/iam/v2beta1/groups?name=team-0500000");
    await within(7, 2 * ROWS_PER_PAGE + 4, async () => {
      await page.goto(site.at(`folders/${body.groups[0].uid}`));
      await item("team-0500000").waitFor();
    });
    assert.equal(await item("team-0500001").count(), 0);
  });

  test("search, palette and pickers find the beginning of a name, page by page", async () => {
    await within(7, 2 * ROWS_PER_PAGE + 6, async () => {
      await page.goto(site.at(`folders/${organization}?begins=team-09999`));
      await page.getByText("1 to 50 of 100").waitFor();
    });
    // A page of each text that was typed with a pause, and the names above.
    await within(4, 22 + ROWS_PER_PAGE, async () => {
      await page.goto(site.at("account"));
      await site.heading("Account").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Find pages/ }).fill("team-0123");
      await page.getByRole("option").filter({ hasText: "team-0123000" }).waitFor();
    });
    await page.getByRole("option").filter({ hasText: "team-0123019" }).scrollIntoViewIfNeeded();
    await page.getByRole("option").filter({ hasText: "team-0123020" }).waitFor();
    assert.deepEqual(site.complaints, []);
  });
});
