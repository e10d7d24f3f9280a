import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { wharf } from "./support/command.ts";
import { FaultProxy } from "./support/fault-proxy.ts";
import { json } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

const FOLDER = scratchFolder("wharf-progress-test-");
const FILES = 12;
const EACH = 2;

/** A batch holds a megabyte: each document is one of its own. */
const PADDING = " ".repeat(600 * 1024);

/** A progress bar: the number of imported documents, and of all. */
const BAR = /importing into (\w+) (█*)(░*) (\d+)\/(\d+)/g;

/** Goes back to the beginning of the line, and empties it. */
const CLEARED = "\u001b[1G\u001b[2K";

const DONE = /Documents:\s+12\s+Created:\s+(\d+)\s+Changed:\s+0\s+Unchanged:\s+(\d+)/;

function documentOf(file: number): string {
  const advisories = Array.from({ length: EACH }, (_, at) => ({
    id: `CVE-2026-${1_000 + at}`,
    events: [{ timestamp: "2026-01-02T03:04:05Z", type: "detection", data: { type: "manual" } }],
  }));
  const name = `package-${file}`;
  return JSON.stringify({ "schema-version": "2.0.2", package: { name }, advisories }) + PADDING;
}

describe("the progress of wharf advisories import", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
    for (let file = 0; file < FILES; file++) {
      writeFileSync(join(FOLDER, `${file}.json`), documentOf(file));
    }
  });
  after(async () => {
    await site.stop();
    rmSync(FOLDER, { recursive: true });
  });

  /** A server that takes so long for each batch that there is something to see. */
  const slow = () => FaultProxy.before(site, () => "pass", { holdsMs: 500, method: "POST" });

  test("is a bar that is redrawn in place and erased at the end", async () => {
    await site.make("organizations", "bar");
    await using proxy = await slow();
    const env = { ...site.env, WHARF_API: proxy.url };
    const terminal = wharfAtTerminal(["advisories", "import", FOLDER, "--group", "bar"], { env });
    assert.equal(await terminal.end(), 0, terminal.text);
    const bars = [...terminal.shown.matchAll(BAR)];
    const counts = bars.map(([, , , , done]) => Number(done));
    assert.ok(new Set(counts).size > 1, `it moves: ${counts}`);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
    );
    for (const [, group, full = "", empty = "", done, total] of bars) {
      assert.deepEqual([group, total, full.length + empty.length], ["bar", String(FILES), 24]);
      assert.equal(full.length, Math.round((Number(done) / FILES) * 24));
    }
    // Each bar is taken away before anything else is drawn, the last one before the result.
    for (const { 0: bar, index } of bars) {
      assert.ok(terminal.shown.startsWith(CLEARED, index + bar.length), bar);
    }
    assert.match(terminal.text, DONE);
    assert.ok(!terminal.shown.includes("\u001b[?25l"), "the cursor is never hidden");
  });

  test("fits into narrow terminals", async () => {
    await site.make("organizations", "narrow");
    await using proxy = await slow();
    const env = { ...site.env, WHARF_API: proxy.url };
    const args = ["advisories", "import", FOLDER, "--group", "narrow", "-o", "json"];
    const terminal = wharfAtTerminal(args, { env, columns: 30 });
    assert.equal(await terminal.end(), 0, terminal.text);
    const drawn = terminal.shown.split(CLEARED).filter((text) => text.startsWith("importing"));
    assert.ok(drawn.length > 1);
    for (const text of drawn) assert.ok([...text].length < 30, text);
  });

  test("is not drawn without a terminal, nor with --quiet", async () => {
    await site.make("organizations", "silent");
    await using proxy = await slow();
    const env = { ...site.env, WHARF_API: proxy.url };
    const args = ["advisories", "import", FOLDER, "--group", "silent"];
    const piped = await wharf(args, { env });
    assert.deepEqual([piped.code, piped.stderr], [0, ""]);
    const quiet = wharfAtTerminal([...args, "--quiet"], { env });
    assert.equal(await quiet.end(), 0);
    const dumb = wharfAtTerminal(args, { env: { ...env, TERM: "dumb" } });
    assert.equal(await dumb.end(), 0);
    for (const { shown, text } of [quiet, dumb]) {
      assert.match(text, DONE);
      assert.doesNotMatch(shown, /importing|█|░/);
      assert.ok(!shown.includes("\u001b[2K"));
    }
  });

  test("stops at Ctrl-C, reports the tally, and resumes", async () => {
    await site.make("organizations", "resumed");
    await using proxy = await slow();
    const env = { ...site.env, WHARF_API: proxy.url };
    const args = ["advisories", "import", FOLDER, "--group", "resumed"];
    const stopped = wharfAtTerminal(args, { env });
    await stopped.until(/importing into resumed █/);
    stopped.type("\u0003");
    assert.equal(await stopped.end(), 130, stopped.text);
    const tally = /import incomplete: (\d+) advisories created, 0 changed, 0 unchanged/;
    const created = Number(tally.exec(stopped.text)?.[1]);
    assert.ok(created > 0 && created < FILES * EACH, stopped.text);
    // Nothing of the bar is left before what is said.
    const before = stopped.shown.slice(0, stopped.shown.indexOf("import incomplete"));
    assert.doesNotMatch(before.split(CLEARED).at(-1) as string, /█|░/);
    const rest = await json(site, ...args);
    assert.deepEqual([rest.created, rest.unchanged], [FILES * EACH - created, created]);
  });
});
