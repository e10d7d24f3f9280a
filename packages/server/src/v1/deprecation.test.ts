import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsV1 } from "@wharf/contract/v1";
import { METHODS } from "../../../../scripts/migration-docs/mapping.ts";
import { testSettings } from "../../test/support/server/test-settings.ts";
import { ANONYMOUS } from "../auth/caller.ts";
import { Metrics } from "../observe/metrics.ts";
import { deprecationOf } from "./deprecation.ts";

const DATES = ["--v1-deprecation", "2027-01-01", "--v1-sunset", "2027-07-01T12:00:00+02:00"];

test("nothing is deprecated until the operator sets a date", async () => {
  assert.equal(deprecationOf(await testSettings([]), new Metrics()), undefined);
});

test("exactly the methods with a successor in the guide are deprecated", async () => {
  const methods = deprecationOf(await testSettings(DATES), new Metrics())?.methods ?? [];
  const names = [...methods].map(({ parent, name }) => `${parent.name}/${name}`);
  const replaced = Object.entries(METHODS).filter(([, successors]) => successors.length > 0);
  assert.deepEqual(names.sort(), replaced.map(([name]) => name).sort());
});

test("the header fields follow RFC 9745 and RFC 8594", async () => {
  const responseHeaders = async (...flags: string[]) => {
    return deprecationOf(await testSettings(flags), new Metrics())?.responseHeaders;
  };
  assert.deepEqual(
    await responseHeaders(...DATES, "--v1-guide", "https://docs.example.com/v2?a=b"),
    {
      deprecation: "@1798761600",
      sunset: "Thu, 01 Jul 2027 10:00:00 GMT",
      link: '<https://docs.example.com/v2?a=b>; rel="deprecation"',
    },
  );
  assert.deepEqual(await responseHeaders("--v1-deprecation", "2027-01-01"), {
    deprecation: "@1798761600",
  });
});

test("only a limited number of callers have a metric label of their own", async () => {
  const metrics = new Metrics();
  const deprecation = deprecationOf(await testSettings(DATES), metrics);
  const { list } = groupsV1.Groups.method;
  const call = (uid: string) => deprecation?.onCall({ ...ANONYMOUS, uid }, list);
  call("");
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 150; at++) call(`caller-${at}`);
  }
  const { body } = await metrics.text();
  const lines = body.split("\n").filter((line) => line.startsWith("wharf_v1_calls_total{"));
  const method = 'method="wharf.iam.v1.Groups/List"';
  assert.equal(lines.length, 101);
  assert.ok(lines.includes(`wharf_v1_calls_total{caller="anonymous",${method}} 1`));
  assert.ok(lines.includes(`wharf_v1_calls_total{caller="caller-98",${method}} 2`));
  assert.ok(lines.includes(`wharf_v1_calls_total{caller="other",${method}} 102`));
});
