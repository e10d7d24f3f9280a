import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { counts, distro, folderWith, ids, NONE } from "./support/advisory-documents.ts";
import { cleanEnvironment, LAUNCHER, wharf } from "./support/command.ts";
import { FaultProxy } from "./support/fault-proxy.ts";
import { clientOf, fails, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

/** Advisories of each of many documents. */
const EACH = 5;

/** A batch holds a megabyte: each document with this comment is one of its own. */
const PADDING = `#${" ".repeat(600 * 1024)}\n`;

describe("wharf advisories import under load and faults", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  after(() => site.stop());

  const listed = async (group: string, ...args: string[]) =>
    (await json(site, "advisories", "list", "--parent", group, ...args)).items;

  test("readers only see whole documents during an import", async () => {
    const group = await site.make("organizations", "whole");
    const files = Array.from({ length: 12 }, (_, at) => [
      `${at}.yaml`,
      distro(`package-${at}`, ids(10_000 + at * 100, EACH)) + PADDING,
    ]);
    const folder = folderWith("whole", Object.fromEntries(files));
    const { advisories } = await clientOf(site);
    let isOver = false;
    const importing = site.ok("advisories", "import", folder, "--group", "whole").finally(() => {
      isOver = true;
    });
    const seen = new Set<number>();
    while (!isOver) {
      const { totalCount } = await advisories.list({ uidp: { childrenOf: group }, pageSize: 1 });
      seen.add(Number(totalCount));
    }
    await importing;
    for (const count of seen) assert.equal(count % EACH, 0, `${count} is not whole documents`);
    assert.equal((await listed("whole")).length, 12 * EACH);
  });

  test("retries while the server is overloaded", async () => {
    await site.make("organizations", "patient");
    const folder = folderWith("patient", { "a.yaml": distro("a", ids(50_000, 1)) });
    let refused = 0;
    await using proxy = await FaultProxy.before(site, (request) => {
      if (request.method === "GET" || refused >= 2) return "pass";
      refused++;
      return "unavailable";
    });
    const env = { ...site.env, WHARF_API: proxy.url };
    const command = ["advisories", "import", folder, "--group", "patient", "-o", "json"];
    const { stdout } = await wharf(command, { env });
    assert.deepEqual(counts(JSON.parse(stdout)), { ...NONE, documents: 1, created: 1 });
    assert.equal(refused, 2);
  });

  test("interrupted by Ctrl-C, reports what was imported and can be continued", async () => {
    await site.make("organizations", "ended");
    const files = Array.from({ length: 40 }, (_, at) => [
      `${at}.yaml`,
      distro(`package-${at}`, ids(60_000 + at * 100, EACH)) + PADDING,
    ]);
    const folder = folderWith("ended", Object.fromEntries(files));
    const command = ["advisories", "import", folder, "--group", "ended", "-o", "json"];
    let child: ChildProcess | undefined;
    let sent = 0;
    await using proxy = await FaultProxy.before(site, ({ method }) => {
      if (method === "POST" && ++sent === 2) child?.kill("SIGINT");
      return "pass";
    });
    child = spawn(process.execPath, [LAUNCHER, ...command], {
      env: cleanEnvironment({ ...site.env, WHARF_API: proxy.url }),
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout as Readable),
      text(child.stderr as Readable),
      once(child, "close"),
    ]);
    assert.equal(code, 130, stderr);
    const { created } = JSON.parse(stdout);
    assert.match(
      stderr,
      new RegExp(`${created} advisories created, .* run the same command again`),
    );
    assert.equal((await listed("ended")).length, created);
    assert.ok(created > 0 && created < 40 * EACH, `${created}`);
    const rest = await json(site, ...command);
    assert.deepEqual([rest.created, rest.unchanged], [40 * EACH - created, created]);
  });

  test("large documents are sent by gRPC; documents that are still too large are rejected", async () => {
    await site.make("organizations", "large");
    const one = ids(80_000, 1) as [string];
    const document = (name: string, first: number, count: number, note: string) => {
      const event = { timestamp: "2026-01-04T00:00:00Z", type: "pending-upstream-fix" };
      const events = [{ ...event, data: { note } }];
      const advisories = ids(first, count).map((id) => ({ id, events }));
      return JSON.stringify({ "schema-version": "2.0.2", package: { name }, advisories });
    };
    const folder = folderWith("large", {
      "a.json": document("many", 200_000, 4_000, "x".repeat(800)),
      "b.json": document("more", 300_000, 1_200, "x".repeat(4_000)),
      "c.yaml": distro("c", one),
    });
    const command = ["advisories", "import", folder, "--group", "large", "-o", "json"];
    const { stdout } = await fails(site, 1, /b\.json/, ...command);
    const { created, refused, refusals } = JSON.parse(stdout);
    assert.deepEqual([created, refused], [4_001, 1]);
    assert.match(refusals[0].reason, /^exceeds the size limit of the server: /);
  });
});
