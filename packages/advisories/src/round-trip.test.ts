import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { type Advisory, AdvisorySchema, ReviewState } from "@wharf/contract/messages";
import { runs } from "../../server/test/support/oracle/runs.ts";
import { randomAdvisories } from "../test/random-advisories.ts";
import { PUBLICATION } from "../test/samples.ts";
import { assertValid, type Format } from "../test/schemas.ts";
import { csafDocument, openVexDocument, osvDocument, packageOf } from "./publish/index.ts";
import { packagesOf } from "./publish/packages.ts";
import { readDocument } from "./read/index.ts";

const SEEDS = Array.from({ length: runs(6, 50) }, (_, seed) => seed);

/** The documents of a feed, by path. */
async function published(given: readonly Advisory[], format: Format) {
  const advisories = given.toSorted((a, b) => (a.advisoryId < b.advisoryId ? -1 : 1));
  const documents = new Map<string, JsonObject>();
  const packages = Map.groupBy(advisories, (one) => JSON.stringify(packageOf(one)));
  if (format === "osv") {
    for (const one of advisories) keep(one.advisoryId, osvDocument([one], PUBLICATION));
  }
  for (const [key, about] of packages) {
    if (format === "csaf") keep(key, csafDocument(about, PUBLICATION));
    if (format === "openvex") keep(key, await openVex(about));
  }
  function keep(key: string, document: JsonObject | undefined) {
    if (document === undefined) return;
    assertValid(format, document);
    documents.set(key, document);
  }
  return documents;
}

async function openVex(advisories: readonly Advisory[]): Promise<JsonObject | undefined> {
  const url = `${PUBLICATION.url}/openvex/all.json`;
  const pieces = await Array.fromAsync(openVexDocument(advisories, url, PUBLICATION));
  return pieces.length === 0 ? undefined : JSON.parse(pieces.join(""));
}

/** An empty group after importing documents, with update times of its own. */
function imported(documents: Iterable<JsonObject>): Advisory[] {
  const read = [...documents].map((document) =>
    readDocument(Buffer.from(JSON.stringify(document)), { name: "test" }),
  );
  const all = read.flatMap(({ advisories }) => advisories);
  const ids = all.map(({ advisoryId }) => advisoryId);
  assert.equal(new Set(ids).size, ids.length, "each advisory is in one document");
  return all.map((one) =>
    create(AdvisorySchema, {
      ...one,
      createTime: STORED,
      updateTime: STORED,
      events: one.events.filter(({ reviewState }) => reviewState === ReviewState.APPROVED),
    }),
  );
}

const STORED = randomAdvisories(0, 1)[0]?.updateTime as NonNullable<Advisory["updateTime"]>;

/**
 * A document without storage times and display names: names become those of package URLs by a round trip.
 */
function bare(document: JsonObject): JsonObject {
  const text = JSON.stringify(document, function (this: object, key, value) {
    return BESIDES.has(key) || (key === "name" && "product_id" in this) ? undefined : value;
  });
  const { timestamp: _, ...rest } = JSON.parse(text);
  return rest;
}

const BESIDES = new Set([
  ...["tracking", "last_updated", "version", "published", "modified", "createTime", "updateTime"],
  ...["references", "title"],
]);

/** Without packages that have several names or share one: a round trip gives each a name of its own. */
function byOneName(advisories: readonly Advisory[]): Advisory[] {
  const chosen = new Map<string, string>();
  const isFirst = (from: string, to: string) => (chosen.get(from) ?? to) === to;
  return advisories.filter((one) => {
    const purl = packagesOf(one, PUBLICATION)[0]?.purl ?? "";
    const key = JSON.stringify(packageOf(one));
    if (!isFirst(purl, key) || !isFirst(key, purl)) return false;
    chosen.set(purl, key).set(key, purl);
    return true;
  });
}

describe("random advisories that are published, imported into an empty group and published again", () => {
  for (const format of ["osv", "openvex", "csaf"] as const) {
    test(`have the same ${format} documents`, async () => {
      for (const seed of SEEDS) {
        const all = randomAdvisories(seed, 12, format !== "openvex");
        const first = await published(byOneName(all), format);
        const second = await published(imported(first.values()), format);
        const sorted = (documents: Map<string, JsonObject>) =>
          [...documents.values()]
            .map(bare)
            .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
        assert.deepEqual(sorted(second), sorted(first), `seed ${seed}`);
      }
    });
  }
});
