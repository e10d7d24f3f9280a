import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { newChildUid, TagSchema } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import { openStore } from "@wharf/server/store/db/open.ts";
import { alternately, median } from "../measure.ts";
import type { Options } from "../options.ts";
import { REPO, RegistrySite } from "../registry-site.ts";
import { counted, type Row } from "../row.ts";
import { mustEqual } from "../verify.ts";

const PAGE = 50;

/** Responses per measurement, which is their median. The reference reads all tags for each, which takes very long. */
const ANSWERS = 20;
const REFERENCE_ANSWERS = 4;

/** Tags written in one transaction. */
const BATCH = 5_000;

function nameOf(at: number): string {
  return `build-${String(at).padStart(6, "0")}`;
}

/** Writes the tags to the store, as a reconcile pass would. */
async function know(data: string, repo: string, digest: string, count: number): Promise<void> {
  const { tags } = RESOURCES;
  const store = await openStore(await readSettings(["--data", data], {}), [], { committed() {} });
  for (let at = 0; at < count; at += BATCH) {
    await store.write(async (tx) => {
      for (let one = at; one < Math.min(at + BATCH, count); one++) {
        const time = timestampFromMs(Date.UTC(2026, 0, 1) + ((one * 7_919) % count) * 1000);
        const tag = { uid: newChildUid(repo), name: nameOf(one), digest };
        const made = create(TagSchema, { ...tag, createTime: time, updateTime: time });
        await tags.table.insert(tx, tags.toRow(made));
      }
    });
  }
  await store.close();
}

/** The response time in milliseconds. */
async function timed(url: string, token: string, answers: number): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < answers; turn++) {
    const begun = performance.now();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    times.push(performance.now() - begun);
    mustEqual(answer.status, 200);
  }
  return median(times);
}

export function registryTagsRow({ sizes }: Options): Row {
  return {
    work: `list ${PAGE} of ${counted(sizes.medium)} tags of a repo by update time`,
    reference: "docker-registry's tags/list of the same repository",
    target: { atMost: 0.1 },

    async measure(bench) {
      const { options } = bench;
      await using site = await RegistrySite.open(bench);
      const image = site.storage.image("image");
      for (let at = 0; at < sizes.medium; at++) site.storage.tag(site.path, nameOf(at), image);
      const repo = await (async () => {
        await using server = await site.serve(false);
        const path = `/registry/v2beta1/repos/${site.organization}`;
        return JSON.parse(await server.rest(path, JSON.stringify({ name: REPO }))).uid;
      })();
      await know(site.data.path, repo, image.digest, sizes.medium);

      await using server = await site.serve(false);
      const query = new URLSearchParams({ service: site.host });
      query.set("scope", `repository:${site.path}:pull`);
      const headers = { authorization: `Bearer ${await site.credentials(server)}` };
      const granted = await fetch(`${server.url}/token?${query}`, { headers });
      const { token } = (await granted.json()) as { token: string };
      const theirs = `http://${site.host}/v2/${site.path}/tags/list`;
      const all = await fetch(theirs, { headers: { authorization: `Bearer ${token}` } });
      mustEqual(((await all.json()) as { tags: string[] }).tags.length, sizes.medium);

      const order = `uidp.childrenOf=${repo}&orderBy=updateTime%20desc&pageSize=${PAGE}`;
      const ours = `/registry/v2beta1/tags?${order}&includeTotalCount=true`;
      const page = JSON.parse(await server.rest(ours));
      mustEqual(page.tags.length, PAGE);
      mustEqual(Number(page.totalCount), sizes.medium);

      const figures = await alternately(
        options.rounds,
        () => timed(theirs, token, REFERENCE_ANSWERS),
        () => timed(`${server.url}${ours}`, server.token, ANSWERS),
      );
      const notes = [
        "the reference returns all names at once, in the order of names, without times",
      ];
      return { unit: "ms", ...figures, notes };
    },
  };
}
