import { existsSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { newChildUid, TagSchema } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import { openStore } from "@wharf/server/store/db/open.ts";
import { type Browser, chromium, type Page } from "playwright-core";
import { dataSet, ScratchData } from "../data-set.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { type Bench, counted, NotMeasured, type Row, serve } from "../row.ts";
import type { Wharf } from "../wharf.ts";

/** The browser of the tests. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/lib/chromium/chromium-headless-shell";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Tags written in one transaction. */
const BATCH_SIZE = 5_000;

/** Warm-up visits of a page: the browser keeps the files then. */
const WARM_UP = 3;

interface Filled {
  readonly data: string;
  readonly organization: string;
  readonly path: string;
}

/** A page of the console with many rows. */
interface Large {
  readonly what: string;
  readonly count: number;
  /** A data directory with the rows, their organization, and the page that lists them. */
  readonly fill: (scratch: string, bench: Bench) => Promise<Filled>;
  /** The same page of an organization without any. */
  readonly empty: (organization: string, server: Wharf) => Promise<string>;
}

async function createOrganization(server: Wharf): Promise<string> {
  return JSON.parse(await server.rest("/iam/v2beta1/groups", JSON.stringify({ name: "empty" })))
    .uid;
}

async function createRepo(server: Wharf, organization: string): Promise<string> {
  const body = JSON.stringify({ name: "app" });
  return JSON.parse(await server.rest(`/registry/v2beta1/repos/${organization}`, body)).uid;
}

/** Creates a repo, and writes its tags to the store. */
async function fillTags(data: string, bench: Bench, count: number): Promise<Filled> {
  const { organization, repo } = await (async () => {
    await using server = await serve(bench, data);
    const organization = await createOrganization(server);
    return { organization, repo: await createRepo(server, organization) };
  })();
  const { tags } = RESOURCES;
  const store = await openStore(await readSettings(["--data", data], {}), [], { committed() {} });
  for (let from = 0; from < count; from += BATCH_SIZE) {
    await store.write(async (tx) => {
      for (let at = from; at < Math.min(from + BATCH_SIZE, count); at++) {
        const time = timestampFromMs(Date.UTC(2026, 0, 1) + at * 1_000);
        const digest = `sha256:${at.toString(16).padStart(64, "0")}`;
        const tag = { uid: newChildUid(repo), name: `build-${at}`, digest };
        const made = create(TagSchema, { ...tag, createTime: time, updateTime: time });
        await tags.table.insert(tx, tags.toRow(made));
      }
    });
  }
  await store.close();
  return { data, organization, path: `repo/${repo}` };
}

function pagesOf({ sizes }: Options): readonly Large[] {
  return [
    {
      what: "folders",
      count: sizes.large,
      fill: async () => ({
        data: await dataSet(sizes.large),
        organization: ORGANIZATION,
        path: `folders/${ORGANIZATION}`,
      }),
      empty: async (organization) => `folders/${organization}`,
    },
    {
      what: "tags",
      count: sizes.medium,
      fill: (scratch, bench) => fillTags(scratch, bench, sizes.medium),
      empty: async (organization, server) => `repo/${await createRepo(server, organization)}`,
    },
    {
      what: "advisories",
      count: sizes.medium,
      fill: async () => ({
        data: await dataSet(sizes.medium, "advisories"),
        organization: ORGANIZATION,
        path: `advisories/${ORGANIZATION}`,
      }),
      empty: async (organization) => `advisories/${organization}`,
    },
  ];
}

const PASSWORD = "correct horse battery staple";

/** A page of a person who was invited to own an organization, and has signed in. */
async function signedInPage(browser: Browser, server: Wharf, organization: string): Promise<Page> {
  const roles = JSON.parse(await server.rest("/iam/v2beta1/roles?name=owner")).roles;
  const invite = JSON.stringify({ roleUid: roles[0].uid, ttl: "600s", singleUse: true });
  const path = `/iam/v2beta1/groupInvites/${organization}`;
  const { code } = JSON.parse(await server.rest(path, invite));
  const page = await (await browser.newContext()).newPage();
  const submit = async (action: string, fields: Readonly<Record<string, string>>) => {
    const form = page.locator(`form[action="${action}"]`);
    for (const [name, value] of Object.entries(fields)) {
      await form.locator(`input[name="${name}"]`).fill(value);
    }
    await form.locator("button").first().click();
  };
  const person = { username: `owner-${Date.now()}`, password: PASSWORD };
  await page.goto(`${server.url}/oauth?invite=${code}`);
  await submit("/oauth/account", {});
  await submit("/oauth/account", { ...person, password_again: PASSWORD });
  await page.getByRole("heading", { name: "Invite accepted" }).waitFor();
  await page.goto(`${server.url}/console/organizations`);
  await submit("/oauth/local", person);
  await page.getByRole("heading", { level: 1, name: "Organizations" }).waitFor();
  return page;
}

/** Opens a page repeatedly: the milliseconds from navigation to the first of what it shows. */
async function opening(
  page: Page,
  url: string,
  first: string,
  warmUp: number,
): Promise<() => Promise<number>> {
  const open = async () => {
    await page.goto("about:blank");
    const begun = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(first).first().waitFor();
    return performance.now() - begun;
  };
  for (let time = 0; time < warmUp; time++) await open();
  return open;
}

/** The pages of the console with as many rows as there may be, one row each. */
export function consoleRows(options: Options): Row[] {
  return pagesOf(options).map(({ what, count, fill, empty }) => ({
    work: `first rows of the console's page of ${counted(count)} ${what}`,
    reference: "the same page of an empty organization",
    target: { atMost: 2 },

    async measure(bench) {
      if (!existsSync(CHROMIUM)) throw new NotMeasured(`Chromium is not installed: ${CHROMIUM}`);
      using filled = new ScratchData();
      using scratch = new ScratchData();
      const { data, organization, path } = await fill(filled.path, bench);
      await using large = await serve(bench, data);
      await using small = await serve(bench, scratch.path);
      const emptyOrganization = await createOrganization(small);
      const emptyPath = await empty(emptyOrganization, small);
      const warmUp = options.quick ? 0 : WARM_UP;
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
      try {
        const ours = await opening(
          await signedInPage(browser, large, organization),
          `${large.url}/console/${path}`,
          "main tbody tr",
          warmUp,
        );
        const reference = await opening(
          await signedInPage(browser, small, emptyOrganization),
          `${small.url}/console/${emptyPath}`,
          "main .empty",
          warmUp,
        );
        const figures = await alternately(options.starts, reference, ours);
        const slowest = Math.max(...figures.ours);
        const notes = [`the slowest of ${options.starts}: ${slowest.toFixed(0)} ms`];
        return { unit: "ms", ...figures, notes };
      } finally {
        await browser.close();
      }
    },
  }));
}
