import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { firstRunOf } from "../../server/test/support/local-world.ts";
import { Site } from "./support/site.ts";
import { stepsOf, walkThrough } from "./support/walkthrough.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SETUP_CODE = /(?:[A-Z]{4}-){4}[A-Z]{4}/g;

function document(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

async function siteFor(t: TestContext): Promise<Site> {
  const site = await Site.start();
  t.after(() => site.stop());
  return site;
}

test("the tour of the README prints what it says", async (t) => {
  const { server } = await siteFor(t);
  const [start, ...tour] = stepsOf(document("README.md"));
  assert.equal(start?.command, "npm start\n");
  const { url, code } = await firstRunOf(server);
  const first = `wharf: first run: open ${url} and enter the code ${code} (valid for 24 hours)\n`;
  const told = `${first}wharf: ready at ${server.url}\n`.replaceAll(new URL(url).port, "8080");
  assert.equal(start.output.replace(SETUP_CODE, "…"), told.replace(SETUP_CODE, "…"));
  assert.ok(tour.length > 12);
  await walkThrough(tour, server);
});

test("the commands of docs/api.md print what it says", async (t) => {
  const { server } = await siteFor(t);
  const steps = stepsOf(document("docs/api.md"));
  assert.ok(steps.length > 7);
  await walkThrough(steps, server);
});

test("the commands of docs/advisories.md print what it says", async (t) => {
  const site = await siteFor(t);
  await site.make("organizations", "acme");
  const steps = stepsOf(document("docs/advisories.md"));
  assert.ok(steps.length > 12);
  await walkThrough(steps, site.server, site.env);
});
