import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RegistryStorage } from "../support/registry/storage.ts";
import { TestServer } from "../support/server/test-server.ts";
import { until } from "../support/until.ts";
import { TrackedRegistry } from "../support/world/tracked-registry.ts";

const TAGS = 1_000;
const REPOS = 3_000;

/** Maximum growth of a server's memory while it reconciles all of that. */
const MAX_GROWTH_BYTES = 200 * 1024 * 1024;

/** Polling too often would slow the server down. */
const SELDOM_MS = 250;

const repoName = (at: number) => `app-${String(at).padStart(4, "0")}`;

describe("a large registry", () => {
  let tracked: TrackedRegistry;
  let storage: RegistryStorage;
  before(async () => {
    tracked = await TrackedRegistry.start({ notifies: false });
    await until(async () => tracked.world.server.log.includes("reconcile pass finished"));
    storage = new RegistryStorage(tracked.registry.storage);
    const image = storage.image("shared");
    for (let at = 0; at < TAGS; at++) storage.tag("acme/many", `1.${at}`, image);
    storage.tag(`acme/team/${repoName(0)}`, "latest", image);
    for (let at = 1; at < REPOS; at++) {
      storage.copy(`acme/team/${repoName(0)}`, `acme/team/${repoName(at)}`);
    }
  });
  after(() => tracked.stop());

  const found = () => tracked.metric("wharf_registry_reconcile_repos_total", `outcome="ours"`);
  const totalOf = async (list: string, query: string) => {
    const path = `/registry/v2beta1/${list}?${query}&includeTotalCount=true&pageSize=1`;
    return Number((await tracked.world.http.get(path)).body.totalCount);
  };

  test("is reconciled in bounded memory, and resumes after a restart", async () => {
    const { server } = tracked.world;
    await server.terminate();
    await server.restart();
    const before = await tracked.metric("process_resident_memory_bytes");
    await until(async () => (await found()) >= REPOS / 4, SELDOM_MS);
    const growth = (await tracked.metric("process_resident_memory_bytes")) - before;
    assert.ok(growth < MAX_GROWTH_BYTES, `it grew by ${growth} bytes`);
    const first = await found();
    await server.terminate();
    await server.restart();
    const start = await tracked.metric("process_resident_memory_bytes");
    await until(async () => server.log.includes("reconcile pass finished"), SELDOM_MS);
    const second = await found();
    assert.ok(
      second <= REPOS + 1 - first + 100,
      `${first} and then ${second} repos were looked at`,
    );
    const end = await tracked.metric("process_resident_memory_bytes");
    assert.ok(end - start < MAX_GROWTH_BYTES, `it grew by ${end - start} bytes`);
  });

  test("is then complete in the store", async () => {
    const {
      registry: { organization, team },
    } = tracked.world;
    assert.equal(await totalOf("repos", `uidp.childrenOf=${team}`), REPOS);
    const repo = (await tracked.repo("many")) as string;
    assert.equal(await totalOf("tags", `uidp.childrenOf=${repo}`), TAGS);
    assert.equal(await totalOf("tags", `uidp.descendantsOf=${organization}`), TAGS + REPOS);
  });
});

describe("a registry reconciled by two replicas", () => {
  let tracked: TrackedRegistry;
  let other: TestServer;
  before(async () => {
    tracked = await TrackedRegistry.start({ store: "postgres", notifies: false });
  });
  after(async () => {
    await other.stop();
    await tracked.stop();
  });

  test("is reconciled by one replica at a time", async () => {
    const { server } = tracked.world;
    const { host } = tracked.registry;
    const storage = new RegistryStorage(tracked.registry.storage);
    const repos = 150;
    storage.tag(`acme/${repoName(0)}`, "latest", storage.image("shared"));
    for (let at = 1; at < repos; at++) {
      storage.copy(`acme/${repoName(0)}`, `acme/${repoName(at)}`);
    }
    // Both wait for the registry, and begin when it is there.
    await tracked.registry.down();
    await server.terminate();
    const flags = ["--registry-host", host, "--registry-urls", `${host}=http://${host}`];
    const base = ["--base-url", server.url];
    [other] = await Promise.all([
      TestServer.start({ sameStoreAs: server, flags: [...flags, ...base], ownProcess: true }),
      server.restart(),
    ]);
    await tracked.registry.up();
    const ended = () =>
      [server, other].filter((one) => one.log.includes("reconcile pass finished"));
    await until(async () => ended().length > 0);
    const lookedAt = async ({ url }: TestServer) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const line = /^wharf_registry_reconcile_repos_total\{.*outcome="ours"\} (\d+)$/m.exec(text);
      return Number(line?.[1] ?? 0);
    };
    const counts = await Promise.all([server, other].map(lookedAt));
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      [0, repos],
    );
  });
});
