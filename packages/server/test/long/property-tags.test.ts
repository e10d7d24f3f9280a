import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { recordTag } from "../../src/registry/ingest/tag-state.ts";
import type { ApiClient } from "../support/client/api-client.ts";
import { listAll } from "../support/client/pagination.ts";
import { all, pick } from "../support/oracle/random-plan.ts";
import { digest } from "../support/registry/oci-image.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { checkRows } from "../support/server/store-consistency.ts";
import { onEachStore } from "../support/world/world.ts";

/** A tag as a list shows it. */
interface Shown {
  readonly uid: string;
  readonly name: string;
  readonly digest: string;
  readonly deprecated: boolean;
  readonly createTime: string;
  readonly updateTime: string;
}

const NAMES = [
  "1",
  "1.2",
  "x-20260801",
  "x-r3",
  "sha256-0a.sig",
  "sha256-0a-r1",
  "sha256-b-20270101",
];
const FLAGS = ["includeReferrers", "includeDates", "includeEpochs"] as const;
const ORDERS = ["uid", "name", "created_at", "updated_at"] as const;
const T0 = Date.UTC(2026, 0, 1);

interface Asked {
  readonly includeReferrers?: boolean;
  readonly includeDates?: boolean;
  readonly includeEpochs?: boolean;
  readonly deprecated?: boolean;
  readonly name?: string;
  readonly digest?: string;
  readonly updatedSince?: string;
}

/** Whether a list shows a tag, worked out the slow and obvious way. */
function isShown(tag: Shown, asked: Asked): boolean {
  return (
    (asked.includeReferrers || !tag.name.startsWith("sha256-")) &&
    (asked.includeDates || !/-20\d\d\d\d\d\d$/.test(tag.name)) &&
    (asked.includeEpochs || !/-r\d+$/.test(tag.name)) &&
    (asked.deprecated === undefined || asked.deprecated === tag.deprecated) &&
    (!asked.name || asked.name === tag.name) &&
    (!asked.digest || asked.digest === tag.digest) &&
    (!asked.updatedSince || Date.parse(tag.updateTime) > Date.parse(asked.updatedSince))
  );
}

/** Every mix of flags, with and without each other filter. */
function* everyAsked(): Iterable<Asked> {
  for (let flags = 0; flags < 8; flags++) {
    const set = FLAGS.filter((_, at) => (flags >> at) & 1);
    const included = Object.fromEntries(set.map((flag) => [flag, true]));
    for (const deprecated of [undefined, true, false]) {
      const both = { ...included, ...(deprecated === undefined ? {} : { deprecated }) };
      yield both;
      yield { ...both, name: pick(NAMES, flags) };
      yield { ...both, digest: digest(flags % 5) };
      yield { ...both, updatedSince: new Date(T0 + 40_000).toISOString() };
      yield { ...both, updatedSince: new Date(T0 + 40_500).toISOString(), digest: digest(2) };
    }
  }
}

onEachStore("lists of tags", (world) => {
  let direct: DirectStore;
  let tree: string[];
  let tags: Shown[];
  before(async () => {
    direct = await DirectStore.open(world.server);
    const org = await world.organization();
    const [left, right] = [await world.group(org), await world.group(org)];
    const inner = await world.group(left);
    const groups = [org, left, right, inner];
    const api = world.operator();
    const repos = await all([0, 1, 2, 3, 4], async (at) => {
      return (await api.repos.create(pick(groups, at), { name: `repo-${at}` })).uid;
    });
    tree = [...groups, ...repos];
    for (let at = 0; at < 160; at++) {
      const name =
        at % 3 === 0 ? pick(NAMES, at / 3) : `${at}${pick(["", "-r1", "-20260101"], at)}`;
      const news = { name, digest: digest(at % 5), deprecated: at % 4 === 0 };
      const time = T0 + 1_000 * ((at * 37) % 80);
      await direct.change((change) => recordTag(change, pick(repos, at * 7), { ...news, time }));
    }
    const everything = { includeReferrers: true, includeDates: true, includeEpochs: true };
    const uidp = { descendantsOf: org };
    tags = (await listAll(api.tags, "tags", { ...everything, uidp, pageSize: 200 })).items;
    assert.ok(tags.length > 100);
  });
  after(async () => {
    await checkRows(direct.store.reader);
    await direct.close();
  });

  const isWithin = (uid: string, place: string) => uid.startsWith(`${place}/`);

  async function check(
    api: ApiClient,
    asked: Asked,
    at: number,
    seen: readonly Shown[],
  ): Promise<number> {
    const place = pick(tree, at);
    const column = pick(ORDERS, at);
    const descending = at % 3 === 0;
    const orderBy = `${column}${descending ? " desc" : ""}`;
    const childrenOf = at % 2 === 0;
    const uidp = childrenOf ? { childrenOf: place } : { descendantsOf: place };
    const wanted = seen.filter((tag) => {
      const parent = tag.uid.slice(0, tag.uid.lastIndexOf("/"));
      return isShown(tag, asked) && (childrenOf ? parent === place : isWithin(tag.uid, place));
    });
    const about = `${JSON.stringify({ ...asked, uidp, orderBy })}`;
    const request = { ...asked, uidp, orderBy };
    const { items, totals } = await listAll(api.tags, "tags", { ...request, pageSize: 7 });
    const uids = items.map(({ uid }) => uid);
    assert.deepEqual(uids.toSorted(), wanted.map(({ uid }) => uid).sort(), about);
    assert.ok(
      totals.every((total) => total === String(wanted.length)),
      `total of ${about}`,
    );
    const key = { uid: "uid", name: "name", created_at: "createTime", updated_at: "updateTime" }[
      column
    ];
    const keys = items.map((item) => item[key]);
    const sorted = keys.toSorted();
    assert.deepEqual(keys, descending ? sorted.reverse() : sorted, `order of ${about}`);
    for (const skip of [1, 5, wanted.length]) {
      const page = await api.tags.list({ ...request, skip, pageSize: 4 });
      const shown = page.tags.map(({ uid }: Shown) => uid);
      assert.deepEqual(shown, uids.slice(skip, skip + 4), `${skip} skipped of ${about}`);
      assert.equal(page.skipped, skip);
    }
    return wanted.length;
  }

  world.rule("return exactly the matching rows, in order, in consistent pages", async (api) => {
    const cases = [...everyAsked()];
    const counts = await all(cases, (asked, at) => check(api, asked, at * 5 + (at >> 3), tags));
    assert.ok(counts.filter((count) => count > 0).length > cases.length / 3);
  });

  world.rule("return and count only what the caller can see", async (api) => {
    const [, left, right] = tree as [string, string, string];
    const { token } = await world.member({ [left]: ["tag.list"], [right]: ["repo.list"] });
    const seen = tags.filter((tag) => isWithin(tag.uid, left));
    const cases = [...everyAsked()].filter((_, at) => at % 3 === 0);
    await all(cases, (asked, at) => check(api.as(token), asked, at, seen));
    const everything = { includeReferrers: true, includeDates: true, includeEpochs: true };
    const { totalCount } = await api.as(token).tags.list(everything);
    assert.equal(totalCount, String(seen.length));
  });

  test("tags named by uid are filtered as well", async () => {
    const api = world.operator();
    const ids = tags.map(({ uid }) => uid).slice(0, 60);
    for (const asked of everyAsked()) {
      const wanted = tags.slice(0, 60).filter((tag) => isShown(tag, asked));
      const list = await api.tags.list({ ...asked, uidp: { ids }, pageSize: 200 });
      const uids = list.tags.map(({ uid }: Shown) => uid);
      assert.deepEqual(uids.sort(), wanted.map(({ uid }) => uid).sort(), JSON.stringify(asked));
      assert.equal(list.totalCount, String(wanted.length));
    }
  });

  test("a page token is valid for its own query only", async () => {
    const api = world.operator();
    const { nextPageToken: pageToken } = await api.tags.list({ pageSize: 1 });
    for (const other of [{ includeEpochs: true }, { deprecated: false }, { orderBy: "name" }]) {
      const asked = api.tags.list({ pageSize: 1, pageToken, ...other });
      await assert.rejects(asked, /pageToken/);
    }
    assert.equal((await api.tags.list({ pageSize: 2, pageToken })).tags.length, 2);
  });
});
