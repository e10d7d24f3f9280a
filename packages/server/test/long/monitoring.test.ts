/** The files of deploy/monitoring: promtool accepts them, and every metric that they name exists. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { TestServer } from "../support/server/test-server.ts";

const FOLDER = join(import.meta.dirname, "../../../../deploy/monitoring");
const PROMTOOL = process.env.PROMTOOL ?? "/usr/bin/promtool";

const promtool = (...words: string[]) => execFileSync(PROMTOOL, words, { cwd: FOLDER });

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

function expressions(): string[] {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, "dashboard.json"), "utf8"));
  return (panels as Panel[]).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

test("promtool accepts the alert rules and their tests, and the queries of the dashboard", () => {
  promtool("check", "rules", "alerts.yaml");
  promtool("test", "rules", "alerts.test.yaml");
  const rules = expressions().map((expr, at) => {
    return { record: `panel:${at}`, expr: expr.replaceAll("$__rate_interval", "5m") };
  });
  const file = join(scratchFolder("wharf-monitoring-"), "panels.yaml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
  promtool("check", "rules", file);
});

test("every metric of the rules and the dashboard is one of a server", async () => {
  const named = new Set(
    [readFileSync(join(FOLDER, "alerts.yaml"), "utf8"), ...expressions()].flatMap(
      (text) => text.match(/\b(?:wharf|process|nodejs)_[a-z0-9_]+/g) ?? [],
    ),
  );
  const known = new Set<string>();
  for (const store of ["sqlite", "postgres"] as const) {
    const server = await TestServer.start({ store });
    try {
      const body = await (await fetch(`${server.url}/metrics`)).text();
      for (const [, name = "", type] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
        known.add(name);
        if (type === "histogram") known.add(`${name}_bucket`);
      }
    } finally {
      await server.stop();
    }
  }
  assert.ok(named.size > 20);
  assert.deepEqual(
    [...named].filter((name) => !known.has(name)),
    [],
  );
});
