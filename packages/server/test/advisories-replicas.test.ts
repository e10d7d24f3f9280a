import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient, type Protocol } from "./support/client/api-client.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { isLong, runs } from "./support/oracle/runs.ts";
import { TestServer } from "./support/server/test-server.ts";

/** Replicas stand behind one address, which is whom tokens are meant for. */
const FLAGS = ["--base-url", "http://wharf.test"];
/** Servers in one process share nothing but the database; among the long tests, each has its own. */
const ownProcess = isLong();
const ROUNDS = runs(3, 6);
const WRITERS = 6;

interface Seen {
  readonly uid: string;
  readonly updateTime: string;
  readonly deleteTime?: string;
}

/** A copy that follows the changes, each time from another replica. */
class Copy {
  readonly kept = new Map<string, Seen>();
  readonly #replicas: readonly ApiClient[];
  readonly #group: string;
  #since = "1970-01-01T00:00:00Z";
  #polls = 0;

  constructor(replicas: readonly ApiClient[], group: string) {
    this.#replicas = replicas;
    this.#group = group;
  }

  async poll(): Promise<void> {
    const request = { uidp: { descendantsOf: this.#group }, updatedSince: this.#since };
    let pageToken = "";
    do {
      const api = this.#replicas[this.#polls++ % this.#replicas.length] as ApiClient;
      const page = await api.advisories.list({ ...request, pageSize: 7, pageToken });
      for (const one of page.advisories as Seen[]) {
        assert.ok(one.updateTime >= this.#since, "updates come in their order");
        this.#since = one.updateTime;
        if (one.deleteTime === undefined) this.kept.set(one.uid, one);
        else this.kept.delete(one.uid);
      }
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
  }
}

describe("advisories on two replicas", () => {
  let servers: TestServer[];
  let apis: Record<Protocol, ApiClient[]>;
  let group: string;
  before(async () => {
    const one = await TestServer.start({ store: "postgres", flags: FLAGS, ownProcess });
    servers = [one, await TestServer.start({ sameStoreAs: one, flags: FLAGS, ownProcess })];
    const token = await one.token();
    const on = (protocol: Protocol) =>
      servers.map(({ url }) => new ApiClient({ protocol, url, token }));
    apis = { REST: on("REST"), gRPC: on("gRPC") };
    group = (await (apis.REST[0] as ApiClient).groups.create("", { name: "org" })).uid;
  });
  after(async () => {
    closeGrpc();
    for (const server of servers) assert.equal(await server.stop(), 0);
  });

  const documentOf = (number: number, round: number) => {
    const about = { artifactType: "apk", artifactName: `package-${number}` };
    const fixed = { createTime: "2026-01-01T00:00:00Z", fixed: { fixedVersion: `${round}` } };
    const score = `CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:${round % 2 === 0 ? "H" : "L"}`;
    return {
      name: `${number}`,
      advisories: [0, 1, 2].map((at) => ({
        ...{ advisoryId: `CGA-${number}-${(round + at) % 5}`, ...about, events: [fixed] },
        aliases: ["CVE-shared", `CVE-${number}`],
      })),
      vulnerabilities: [
        {
          ...{ id: `CVE-${number % 2 === 0 ? number : "shared"}` },
          updateTime: new Date(1_767_225_600_000 + round * 1_000 + number).toISOString(),
          severities: [{ type: "TYPE_CVSS_V3", score }],
        },
      ],
    };
  };

  /** Imports, creates, changes and deletes on one of the replicas. */
  async function write(number: number): Promise<void> {
    const api = apis.REST[number % 2] as ApiClient;
    const v1 = api.v1;
    for (let round = 0; round < ROUNDS; round++) {
      await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [documentOf(number, round)],
      });
      const made = await v1.advisories.create(group, {
        artifactType: "apk",
        artifactName: `own-${number}`,
      });
      await v1.advisoryEvents.create(made.id, { detection: { manual: {} } });
      if (round % 3 === 0) await v1.advisories.delete(made.id);
    }
  }

  test("a client that polls either replica gets every change", async () => {
    const copies = [
      new Copy(apis.REST, group),
      new Copy(apis.gRPC, group),
      new Copy([apis.REST[0] as ApiClient], group),
      new Copy([apis.gRPC[1] as ApiClient], group),
    ];
    let isDone = false;
    const reading = copies.map(async (copy) => {
      while (!isDone) await copy.poll();
    });
    await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(number)));
    isDone = true;
    await Promise.all(reading);
    const all = await (apis.REST[1] as ApiClient).advisories.list({ pageSize: 200 });
    const wanted = new Map((all.advisories as Seen[]).map((one) => [one.uid, one]));
    assert.equal(wanted.size, WRITERS * (5 + (ROUNDS * 2) / 3));
    for (const copy of copies) {
      await copy.poll();
      const kept = [...copy.kept].sort();
      assert.deepEqual(kept, [...wanted].sort(), "down to the severities");
    }
  });
});
