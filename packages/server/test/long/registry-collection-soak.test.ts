/**
 * Pushes, mounts, deletions and collections of garbage at random, in servers that are killed: every acknowledged manifest
 * can be pulled in full, and what was freed is what the slow comparison of all rows says.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../src/observe/logger.ts";
import { UploadCleanup } from "../../src/registry/serve/upload-cleanup.ts";
import { DiskStorage } from "../../src/registry/storage/disk-storage.ts";
import { Random, SEED } from "../support/oracle/random.ts";
import { runs } from "../support/oracle/runs.ts";
import { LEASE_MS } from "../support/registry/brief-times.ts";
import { bytesOf, endLeases, garbageOf, storedBlobs } from "../support/registry/collecting.ts";
import { OciClient } from "../support/registry/oci-client.ts";
import { RandomPusher } from "../support/registry/random-pusher.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { filesBelow } from "../support/server/files-below.ts";
import { TestServer } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world/world.ts";

const ROUNDS = runs(2, 8);
const PUSHERS = 6;
const STEPS = runs(20, 60);
const LITTER = 40;
const DAY_MS = 24 * 3_600_000;

const FLAGS = ["--registry-gc-minutes", "0"];
const PROGRAM = join(import.meta.dirname, "../support/registry/brief-server.ts");

/** Servers on one store and one folder, and what the test asks of them. */
class Soak {
  readonly world: World;
  readonly servers: readonly TestServer[];
  readonly direct: DirectStore;
  readonly random = new Random(SEED);

  constructor(world: World, servers: readonly TestServer[], direct: DirectStore) {
    this.world = world;
    this.servers = servers;
    this.direct = direct;
  }

  static async start(store: "sqlite" | "postgres", replicas: number): Promise<Soak> {
    const world = await World.start({ store, registry: true, program: PROGRAM, flags: FLAGS });
    const { server } = world;
    const more = Array.from({ length: replicas - 1 }, () =>
      TestServer.start({
        ...{ program: PROGRAM, sameStoreAs: server },
        flags: ["--base-url", server.url, "--registry-host", world.registry.host, ...FLAGS],
      }),
    );
    const servers = [server, ...(await Promise.all(more))];
    return new Soak(world, servers, await DirectStore.open(server));
  }

  async stop(): Promise<void> {
    await this.direct.close();
    for (const server of this.servers.slice(1)) await server.stop();
    await this.world.stop();
  }

  /** Asks one of the servers, as the operator; undefined if it was killed. */
  async ask(method: "GET" | "POST", path: string): Promise<Status | undefined> {
    const { url } = this.random.pick(this.servers);
    const headers = {
      authorization: `Bearer ${this.world.operator().token}`,
      "content-type": "application/json",
    };
    const body = method === "POST" ? "{}" : null;
    const response = await fetch(`${url}/registry/v2beta1/storage${path}`, {
      method,
      headers,
      body,
    })
      .then((answer) => answer.json())
      .catch(() => undefined);
    return response as Status | undefined;
  }

  /** Waits until no pass is requested any more. */
  idle(): Promise<Status["collection"]> {
    return until(async () => {
      const pass = (await this.ask("GET", ""))?.collection;
      return pass?.pending === false && pass;
    }, 200);
  }

  async killOne(): Promise<void> {
    const server = this.random.pick(this.servers);
    await server.kill();
    await server.restart();
    // Nobody waits for the end of its lease.
    const sql = "UPDATE registry_passes SET expires = 0";
    await this.direct.store.write((tx) => tx.run(sql));
  }
}

interface Status {
  readonly collection: {
    readonly pending: boolean;
    readonly last?: { readonly freedBytes: string };
  };
}

for (const [store, replicas] of [
  ["sqlite", 1],
  ["postgres", 2],
] as const) {
  describe(`the registry, on ${store} with ${replicas} processes`, () => {
    test("loses nothing to collections of garbage, and keeps none of it", async (t) => {
      const soak = await Soak.start(store, replicas);
      t.after(() => soak.stop());
      const { world, servers, direct, random } = soak;
      const holder = await world.registry.holder("pusher", "owner");
      const token = await world.signer.token(holder);
      const clients = servers.map(({ url }) => new OciClient(url, `Bearer ${token}`));
      const pushers = Array.from(
        { length: PUSHERS },
        (_, at) => new RandomPusher(at, clients, world, new Random(SEED + at)),
      );
      for (let round = 0; round < ROUNDS; round++) {
        await disturbed(soak, Promise.all(pushers.map((one) => one.work(STEPS))));
        for (const pusher of pushers) await pusher.verify();
        await soak.idle();
        for (const pusher of pushers) await pusher.litter(LITTER);
        await endLeases(direct.store);
        const garbage = await garbageOf(direct.store, Date.now());
        assert.ok(garbage.length >= PUSHERS * LITTER);
        await until(async () => (await soak.ask("POST", ":collect"))?.collection);
        await sleep(random.below(100));
        await soak.killOne();
        const { last } = await soak.idle();
        assert.deepEqual(await garbageOf(direct.store, Date.now()), []);
        assert.equal(Number(last?.freedBytes), bytesOf(garbage));
        for (const pusher of pushers) await pusher.verify();
        t.diagnostic(`round ${round}: ${garbage.length} blobs freed while nobody pushed`);
      }
      const sum = (of: (one: RandomPusher) => number) =>
        pushers.reduce((all, one) => all + of(one), 0);
      t.diagnostic(`${sum((one) => one.pushes)} pushes, ${sum((one) => one.late)} too late`);
      await verifyFiles(soak);
    });
  });
}

/** Kills servers and collects garbage until the work is done. */
async function disturbed(soak: Soak, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const collecting = async () => {
    while (!isDone) {
      await soak.ask("POST", ":collect");
      await sleep(soak.random.below(300));
    }
  };
  const killing = async () => {
    while (!isDone) {
      await Promise.race([sleep(LEASE_MS + soak.random.below(4_000)), done]);
      if (!isDone) await soak.killOne();
    }
  };
  await Promise.all([done, collecting(), killing()]);
}

/** The folder has the files of all rows, and no others once the clean-up has run. */
async function verifyFiles({ world, direct }: Soak): Promise<void> {
  const folder = join(world.server.data, "registry");
  const storage = new DiskStorage(folder);
  const cleanup = new UploadCleanup(direct.store, storage, { warn() {} } as unknown as Logger);
  await cleanup.run(Date.now() + 2 * DAY_MS);
  await storage.close();
  const files = filesBelow(join(folder, "blobs")).map((file) => file.split("/").at(-1));
  const rows = await storedBlobs(direct.store);
  assert.deepEqual(files.sort(), rows.map(({ digest }) => digest.split(":")[1]).sort());
  assert.ok(rows.length > 0);
}
