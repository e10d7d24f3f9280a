import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ANONYMOUS_UID } from "../../src/auth/caller.ts";
import { approved, Scanner, unzipped } from "../support/client/feed-client.ts";
import { onEachStore } from "../support/world/world.ts";

/** Enough on one store to take more than `GROWTH` if all were in memory at the same time; the other has many steps. */
const ADVISORIES = { sqlite: 20_000, postgres: 5_000 };
/**
 * The number of repetitions of the words in a text: both come to more than sockets hold for a client that does not
 * read.
 */
const SAID = { sqlite: 4, postgres: 48 };
const PER_PACKAGE = 20;
const PER_REQUEST = 1_000;

/** Far below what the archive or its documents take, far above what a step takes. */
const GROWTH = 96 * 1024 * 1024;

onEachStore(
  "feeds of thousands of advisories",
  (world) => {
    const count = ADVISORIES[world.store];
    let group: string;
    let scanner: Scanner;

    before(async () => {
      group = await world.organization();
      scanner = new Scanner(world.server.url);
      await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
      const api = world.operator();
      for (let first = 0; first < count; first += PER_REQUEST) {
        const packages = Array.from({ length: PER_REQUEST / PER_PACKAGE }, (_, at) =>
          documentOf(first + at * PER_PACKAGE),
        );
        const { results } = await api.advisoryImports.importAdvisories({
          parent: group,
          documents: packages,
        });
        assert.ok(results.every(({ created }: { created: number }) => created === PER_PACKAGE));
      }
    });

    function documentOf(first: number) {
      const artifactName = `package-${first}`;
      const note = "A note as long as those that people write, repeated. ".repeat(
        SAID[world.store],
      );
      const advisories = Array.from({ length: PER_PACKAGE }, (_, at) => ({
        ...{ advisoryId: `CGA-${first + at}`, artifactName, artifactType: "apk" },
        ...{ artifactArchitecture: "x86_64", author: "writer@example.com" },
        aliases: [`CVE-2026-${10_000 + first + at}`],
        events: [
          approved({ detection: { manual: {} } }),
          approved({ fixed: { fixedVersion: `1.${at}-r0`, note } }, 2),
        ],
      }));
      return { name: artifactName, advisories };
    }

    async function memory(): Promise<number> {
      const text = await (await fetch(`${world.server.url}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
    }

    /** Reads a file, and how much the server grew at most meanwhile. */
    async function watched(path: string): Promise<{ bytes: Buffer; growth: number }> {
      const start = await memory();
      let most = start;
      let reading = true;
      const watching = (async () => {
        while (reading) {
          most = Math.max(most, await memory());
          await wait(100);
        }
      })();
      const { status, bytes } = await scanner.get(`${group}/${path}`);
      reading = false;
      await watching;
      assert.equal(status, 200);
      return { bytes, growth: most - start };
    }

    test("are complete, and take no more memory than small ones", async () => {
      // Warm-up: the memory that every server takes once it has work.
      await scanner.get(`${group}/osv/all.json`);
      const index = await watched("osv/all.json");
      assert.equal(JSON.parse(index.bytes.toString()).length, count);
      const archive = await watched("osv/all.zip");
      const files = await unzipped(archive.bytes);
      assert.equal(files.size, count);
      const vex = await watched("openvex/all.json");
      assert.equal(JSON.parse(vex.bytes.toString()).statements.length, count);
      const secdb = await watched("secdb/security.json");
      assert.equal(JSON.parse(secdb.bytes.toString()).packages.length, count / PER_PACKAGE);
      const csaf = await watched("csaf/index.txt");
      assert.equal(csaf.bytes.toString().trim().split("\n").length, count / PER_PACKAGE);
      const growths = [index, archive, vex, secdb, csaf].map(({ growth }) => growth);
      assert.ok(Math.max(...growths) < GROWTH, `it grew by ${growths} bytes`);
    });

    test("apply backpressure to slow clients", async () => {
      const start = await memory();
      const request = get(`${world.server.url}/feeds/${group}/openvex/all.json`);
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.pause();
      await wait(2_000);
      const growth = (await memory()) - start;
      assert.ok(growth < GROWTH, `it grew by ${growth} bytes`);
      let size = 0;
      for await (const chunk of response) size += chunk.length;
      assert.ok(size > count * 400, `${size} bytes came`);
    });

    test("end when the client disconnects, and are the same over HTTP/2", async () => {
      const request = get(`${world.server.url}/feeds/${group}/osv/all.zip`);
      const [left] = (await once(request, "response")) as [IncomingMessage];
      left.destroy();
      const path = `/feeds/${group}/secdb/security.json`;
      const session = connect(world.server.url);
      const stream = session.request({ ":path": path });
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      session.close();
      const { bytes } = await scanner.get(path.slice("/feeds/".length));
      assert.ok(Buffer.concat(chunks).equals(bytes));
    });

    test("are limited per address; excess requests get Retry-After", async () => {
      const path = `/feeds/${group}/openvex/all.json`;
      const slow = await Promise.all(
        [1, 2, 3, 4].map(async () => {
          const [response] = (await once(get(`${world.server.url}${path}`), "response")) as [
            IncomingMessage,
          ];
          response.pause();
          return response;
        }),
      );
      const refused = await fetch(`${world.server.url}/feeds/${group}/osv/all.zip`);
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "30"]);
      const { code, message } = (await refused.json()) as { code: number; message: string };
      assert.equal(code, 8);
      assert.match(message, /too many concurrent feed exports/);
      const known = await scanner.get(`${group}/openvex/all.json`, {}, "HEAD");
      assert.equal(known.status, 200, "HEAD requests are answered");
      const one = await scanner.get(`${group}/osv/CGA-0.json`);
      assert.equal(one.status, 200, "short files are answered");
      const waiting = scanner.get(`${group}/secdb/security.json`);
      slow[0]?.destroy();
      assert.equal((await waiting).status, 200, "who waits has the place of who leaves");
      for (const response of slow.slice(1)) response.destroy();
      assert.equal((await scanner.get(`${group}/csaf/index.txt`)).status, 200);
    });
  },
  { ownProcess: true },
);
