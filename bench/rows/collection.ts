import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "../load/http.ts";
import type { Options } from "../options.ts";
import { OwnRegistry } from "../own-registry.ts";
import { RegistryGarbage } from "../registry-garbage.ts";
import { counted, type Row } from "../row.ts";
import type { Wharf } from "../wharf.ts";
import { compare } from "./isolation.ts";

const PUSHERS = 16;
const POLL_MS = 20;

/** Blobs that are pushed in rotation. */
const PUSHED = 256;

/** One of so many blobs is garbage. */
const GARBAGE_SHARE = 50;

const STORAGE = "/registry/v2beta1/storage";

interface Status {
  readonly collection: {
    readonly pending: boolean;
    readonly last?: { readonly freedBlobs: string };
  };
}

/** Uploads in one request each: what a push waits for are commits and the disk. */
function uploads(own: OwnRegistry): Target[] {
  return Array.from({ length: PUSHED }, (_, at) => {
    const body = `blob ${at}`;
    return {
      path: `${own.path("pushed")}/blobs/uploads/?digest=sha256:${hash("sha256", body)}`,
      body,
    };
  });
}

/** Collects garbage, and returns how many blobs that were. */
async function collect(server: Wharf): Promise<number> {
  await server.rest(`${STORAGE}:collect`, "{}");
  for (;;) {
    const { collection } = JSON.parse(await server.rest(STORAGE)) as Status;
    if (!collection.pending) return Number(collection.last?.freedBlobs);
    await sleep(POLL_MS);
  }
}

/** Pushes of many clients while garbage is collected. */
export function collectionRow({ sizes }: Options): Row {
  const garbage = sizes.medium / GARBAGE_SHARE;
  return {
    work: `push p99 of ${PUSHERS} clients while garbage of ${counted(sizes.medium)} blobs is collected`,
    reference: `alone, ${PUSHERS} connections`,
    target: { atMost: 2 },
    async measure(bench) {
      await using own = await OwnRegistry.open(bench);
      const { server } = own;
      await own.pushImage(bench, "stored", ["latest"]);
      const { repos } = JSON.parse(await server.rest("/registry/v2beta1/repos?name=stored")) as {
        repos: { uid: string }[];
      };
      const repo = repos[0]?.uid ?? "";
      using blobs = new RegistryGarbage(own.data);
      blobs.addUsed(repo, sizes.medium);
      const client = { method: "POST" as const, targets: uploads(own), connections: PUSHERS };
      return await compare(bench, {
        ...{ server, client, got: "blobs collected" },
        async disturb(seconds) {
          const began = performance.now();
          const took = () => (performance.now() - began) / 1000;
          let collected = 0;
          do {
            blobs.addGarbage(repo, garbage);
            collected += await collect(server);
          } while (took() < seconds);
          return collected / took();
        },
      });
    },
  };
}
