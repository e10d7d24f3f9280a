import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  AdvisorySchema,
  newChildUid,
  ReviewState,
  type Tag,
  TagSchema,
} from "@wharf/contract";
import type { Request } from "playwright-core";
import { DirectStore } from "../../../server/test/support/server/direct-store.ts";
import { ConsoleSite } from "../support/site.ts";

const COUNT = 100_000;

/** Rows of a transaction. */
const BATCH_SIZE = 5_000;

/** The rows of a page. */
const PAGE_SIZE = 50;

const START = Date.parse("2026-01-01T00:00:00Z");

function tagOf(repo: string, at: number): Tag {
  const time = timestampFromMs(START + at * 1_000);
  const digest = `sha256:${at.toString(16).padStart(64, "0")}`;
  const name = `v${Math.floor(at / 1_000)}.${at % 1_000}`;
  return create(TagSchema, {
    ...{ uid: newChildUid(repo), name, digest, createTime: time, updateTime: time },
  });
}

function advisoryOf(group: string, at: number): Advisory {
  const time = timestampFromMs(START + at * 1_000);
  const name = `package-${at % 500}`;
  const uid = newChildUid(group);
  const isFixed = at % 4 === 0;
  return create(AdvisorySchema, {
    ...{ uid, advisoryId: `CGA-${at}`, author: "importer", createTime: time, updateTime: time },
    ...{ artifactName: name, artifactType: "apk", artifactArchitecture: "x86_64" },
    aliases: [`CVE-2026-${at}`],
    events: [
      {
        uid: newChildUid(uid),
        createTime: time,
        author: "importer",
        reviewState: at % 1_000 === 0 ? ReviewState.PENDING : ReviewState.APPROVED,
        type: isFixed
          ? { case: "fixed", value: { fixedVersion: "1.2.3-r4" } }
          : { case: "truePositiveDetermination", value: {} },
      },
    ],
  });
}

describe("a repository of 100,000 tags and a group of 100,000 advisories", () => {
  let site: ConsoleSite;
  let organization: string;
  let repo: string;
  before(async () => {
    site = await ConsoleSite.start();
    ({ organization } = site);
    const { http } = site.world;
    repo = (await http.post(`/registry/v2beta1/repos/${organization}`, { name: "many" })).body.uid;
    const direct = await DirectStore.open(site.world.server);
    const { tags, advisories } = direct.engine.catalog;
    for (let from = 0; from < COUNT; from += BATCH_SIZE) {
      const places = Array.from({ length: BATCH_SIZE }, (_, at) => from + at);
      await direct.change(async (change) => {
        await change.insertAll(
          tags,
          places.map((at) => tagOf(repo, at)),
        );
        await change.insertAll(
          advisories,
          places.map((at) => advisoryOf(organization, at)),
        );
      });
    }
    await direct.close();
    await site.signInAt();
  });
  after(() => site.stop());

  /**
   * Opens a screen, and counts the different lists of its kind that it requests until a text is there. Lists may be read
   * once more when the stream of events begins: that does not count.
   */
  async function requestsOf(path: string, kind: RegExp, shown: string): Promise<number> {
    const requests = new Set<string>();
    const count = (request: Request) => {
      if (kind.test(request.url())) requests.add(request.url());
    };
    site.page.on("request", count);
    await site.page.goto(site.at(path));
    await site.page.getByText(shown).first().waitFor();
    site.page.off("request", count);
    return requests.size;
  }

  const rows = () => site.page.locator("main tbody tr").count();

  test("shows a page of tags, finds one, and leads to the last page", async () => {
    const lists = /\/registry\/v2beta1\/tags\?/;
    const first = await requestsOf(`repo/${repo}`, lists, "1 to 50 of 100,000");
    assert.ok(first <= 2, `${first} lists of tags`);
    assert.equal(await rows(), PAGE_SIZE);
    await requestsOf(`repo/${repo}?page=2000`, lists, "99,951 to 100,000 of 100,000");
    assert.equal(await rows(), PAGE_SIZE);
    await requestsOf(`repo/${repo}?name=v42.&sort=name`, lists, "1 to 50 of 1,000");
    await site.page.getByRole("link", { name: "v42.0", exact: true }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("shows a page of advisories, by every filter, and those to review", async () => {
    const lists = /\/vulnerabilities\/v2beta1\/advisories\?/;
    const path = `advisories/${organization}`;
    const first = await requestsOf(path, lists, "1 to 50 of 100,000");
    assert.ok(first <= 2, `${first} lists of advisories`);
    assert.equal(await rows(), PAGE_SIZE);
    await requestsOf(`${path}?page=2000`, lists, "99,951 to 100,000 of 100,000");
    await requestsOf(`${path}?artifact=package-7`, lists, "1 to 50 of 200");
    await requestsOf(`${path}?query=cve-2026-99999`, lists, "1 to 1 of 1");
    await requestsOf(`${path}?tab=reviews`, lists, "1 to 50 of 100");
    const counts = await requestsOf(`${path}?tab=overview`, lists, "24,900");
    assert.ok(counts <= 9, `${counts} counts of advisories`);
    assert.deepEqual(site.complaints, []);
  });
});
