/** Vulnerability sources that misbehave: nothing reaches private addresses, fills memory, or is half imported. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { hostLookup } from "../src/lib/net/host-lookup.ts";
import { NameServer } from "./support/events/name-server.ts";
import { changesOf, osvRecord, SourceServer } from "./support/exposure/source-server.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

describe("hostile vulnerability sources", () => {
  let world: World;
  let server: SourceServer;
  let secret: SourceServer;
  let names: NameServer;
  before(async () => {
    server = await SourceServer.start();
    secret = await SourceServer.start();
    names = await NameServer.start((name) => (name === "db.internal" ? "10.1.2.3" : "denied"));
    world = await World.start({
      // Others than this machine reach it, so that addresses of this machine are not allowed by default.
      flags: ["--base-url", "http://wharf.test", "--private-sinks", server.url],
      hosts: hostLookup({ servers: [names.address] }),
      deliveryTimes: { idlePollMs: 20, timeoutMs: 2_000 },
    });
  });
  after(async () => {
    await world.stop();
    server.stop();
    secret.stop();
    names.stop();
  });

  const create = async (fields: object) => {
    const parent = await world.organization();
    const source = {
      name: "feed",
      kind: "VULNERABILITY_SOURCE_KIND_SECDB",
      ecosystems: ["Wolfi"],
      ...fields,
    };
    return world.operator().vulnerabilitySources.create(parent, source);
  };
  const failureOf = async (fields: object) => {
    const { uid } = await create(fields);
    return until(async () => {
      const { status } = await world.operator().vulnerabilitySources.get(uid);
      return status.lastAttemptTime !== undefined && status;
    });
  };

  for (const url of [
    "http://secdb.example.com/security.json",
    "https://127.0.0.1/security.json",
    "https://10.0.0.1/x",
    "https://[::1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://user:secret@secdb.example.com/",
    "ftp://secdb.example.com/",
    "secdb.example.com",
  ]) {
    test(`${url} is rejected`, async () => {
      await assert.rejects(create({ url }), (error: { code: number; fields: object }) => {
        assert.deepEqual([error.code, Object.keys(error.fields)], [3, ["url"]]);
        return true;
      });
    });
  }

  test("a name of a private address is not connected to, and looks like one that does not exist", async () => {
    const [inside, nowhere] = await Promise.all([
      failureOf({ url: "https://db.internal/security.json" }),
      failureOf({ url: "https://nowhere.internal/security.json" }),
    ]);
    assert.equal(inside.errorCode, "UNREACHABLE");
    assert.deepEqual([inside.errorCode, inside.error], [nowhere.errorCode, nowhere.error]);
  });

  test("a redirect to an address that is not allowed is not followed", async () => {
    for (const [at, target] of [
      `${secret.url}/x`,
      "https://10.0.0.1/x",
      "file:///etc/passwd",
      "http://secdb.example.com/x",
    ].entries()) {
      server.put(`/redirect-${at}`, (_request, response) => {
        response.writeHead(302, { location: target }).end();
      });
      const { errorCode } = await failureOf({ url: `${server.url}/redirect-${at}` });
      assert.equal(errorCode, "REDIRECT", target);
    }
    assert.deepEqual(secret.requests, []);
  });

  test("endless redirects end", async () => {
    server.put("/loop", (_request, response) =>
      response.writeHead(302, { location: "/loop" }).end(),
    );
    assert.equal((await failureOf({ url: `${server.url}/loop` })).errorCode, "REDIRECT");
  });

  test("a server that is silent, or stops sending, does not hold the import", async () => {
    server.put("/silent", () => {});
    server.put("/stalled", (_request, response) => response.writeHead(200).write('{"packages":['));
    for (const path of ["/silent", "/stalled"]) {
      assert.equal((await failureOf({ url: server.url + path })).errorCode, "TIMEOUT", path);
    }
  });

  test("a file that is larger than the limit, says so or not, is not read", async () => {
    server.put("/huge", (_request, response) => {
      response.writeHead(200, { "content-length": 2 ** 40 }).write("{");
    });
    const zeros = Buffer.alloc(1024 * 1024);
    server.put("/endless", (_request, response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write(zeros));
      };
      response.on("drain", write);
      write();
    });
    for (const path of ["/huge", "/endless"]) {
      assert.equal((await failureOf({ url: server.url + path })).errorCode, "TOO_LARGE", path);
    }
  });

  test("compressed files expand within a limit, and answers must not be compressed", async () => {
    const header = "cve,epss,percentile\n";
    const rows = (row: string, count: number) => {
      return gzipSync(Buffer.concat([Buffer.from(header), Buffer.alloc(count * row.length, row)]));
    };
    server.put("/bomb.csv.gz", rows(`${"x".repeat(900)}\n`, 200_000));
    server.put("/lines.csv.gz", rows("\n", 6_000_000));
    const epss = { kind: "VULNERABILITY_SOURCE_KIND_EPSS", ecosystems: [] };
    for (const path of ["/bomb.csv.gz", "/lines.csv.gz"]) {
      assert.equal(
        (await failureOf({ ...epss, url: server.url + path })).errorCode,
        "TOO_LARGE",
        path,
      );
    }
    server.put("/encoded", (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}"));
    });
    assert.equal((await failureOf({ url: `${server.url}/encoded` })).errorCode, "HTTP_STATUS");
  });

  test("a server that is busy is left alone for as long as it asks", async () => {
    server.put("/busy", (_request, response) => {
      response.writeHead(429, { "retry-after": "7200" }).end();
    });
    const { errorCode, lastAttemptTime, nextAttemptTime } = await failureOf({
      url: `${server.url}/busy`,
    });
    assert.equal(errorCode, "HTTP_STATUS");
    assert.ok(Date.parse(nextAttemptTime) - Date.parse(lastAttemptTime) >= 7_200_000);
  });

  test("documents of another shape are named, and change nothing", async () => {
    for (const [at, content] of [
      "",
      "{",
      "[]",
      "null",
      '{"packages":{}}',
      "<html></html>",
    ].entries()) {
      server.put(`/shape-${at}`, content);
      const { errorCode, error } = await failureOf({ url: `${server.url}/shape-${at}` });
      assert.deepEqual([errorCode, typeof error], ["INVALID_DATA", "string"], content);
    }
    server.put("/npm/modified_id.csv", "<html>\n");
    const osv = { kind: "VULNERABILITY_SOURCE_KIND_OSV", ecosystems: ["npm"], url: server.url };
    assert.equal((await failureOf(osv)).errorCode, "INVALID_DATA");
    server.put("/npm/modified_id.csv", changesOf([osvRecord("GHSA-1", "npm", "x")]));
    server.put("/npm/all.zip", "PK\u0003\u0004 this is no archive");
    assert.equal((await failureOf(osv)).errorCode, "INVALID_DATA");
  });

  test("hostile records leave the others", async () => {
    const fixes = {
      "1-r0": ["CVE-2026-1", "CVE-2026-1; DROP", 7, null, "\u001b[31m"],
      "": ["CVE-2026-2"],
    };
    const packages: readonly unknown[] = [
      { pkg: { name: "good", secfixes: { "1-r0": ["CVE-2026-1"] } } },
      { pkg: { name: "bad", secfixes: fixes } },
      { pkg: { name: "", secfixes: {} } },
      { pkg: null },
      7,
      { pkg: { name: "none", secfixes: "x" } },
      { pkg: { name: "__proto__", secfixes: { constructor: ["CVE-2026-1"] } } },
    ];
    server.put("/hostile.json", JSON.stringify({ packages }));
    const status = await failureOf({ url: `${server.url}/hostile.json` });
    assert.equal(status.state, "VULNERABILITY_SOURCE_STATE_CURRENT");
    assert.ok(Number(status.rejected) >= 7, status.rejected);
    const texts = status.rejections.flatMap(({ name, reason }: Record<string, string>) => [
      name,
      reason,
    ]);
    assert.doesNotMatch(texts.join(""), /\p{C}/u);
  });
});
