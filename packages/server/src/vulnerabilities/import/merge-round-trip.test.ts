import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { csafDocument, openVexDocument, osvDocument, packageOf } from "@wharf/advisories/publish";
import { readDocument } from "@wharf/advisories/read";
import { type Advisory, AdvisorySchema, ReviewState } from "@wharf/contract";
import { randomAdvisories } from "../../../../advisories/test/random-advisories.ts";
import { PUBLICATION } from "../../../../advisories/test/samples.ts";
import { mergeAdvisory } from "./merge.ts";

const IMPORTER = { approves: true, actor: "a".repeat(40), naming: PUBLICATION };

/** Stored advisories, some of them with reviewed events. */
function stored(seed: number): Advisory[] {
  return randomAdvisories(seed, 12).map((one, at) =>
    create(AdvisorySchema, {
      ...one,
      uid: `${"a".repeat(40)}/${at}`,
      events: one.events.map((event, number) => ({
        ...event,
        uid: `${"a".repeat(40)}/${at}/${number}`,
        reviewer: event.reviewState === ReviewState.APPROVED && number % 2 ? "reviewer" : "",
      })),
    }),
  );
}

/** The documents of a feed. */
const PUBLISHED: Record<string, (all: readonly Advisory[]) => Promise<(JsonObject | undefined)[]>> =
  {
    osv: async (all) => all.map((one) => osvDocument([one], PUBLICATION)),
    openvex: async (all) => {
      const pieces = await Array.fromAsync(openVexDocument(all, "https://a.example", PUBLICATION));
      return pieces.length === 0 ? [] : [JSON.parse(pieces.join(""))];
    },
    csaf: async (all) => {
      const packages = Map.groupBy(all, (one) => JSON.stringify(packageOf(one)));
      return [...packages.values()].map((about) => csafDocument(about, PUBLICATION));
    },
  };

describe("random advisories that are published and imported into their group", () => {
  for (const [format, published] of Object.entries(PUBLISHED)) {
    test(`change nothing, as ${format}`, async () => {
      for (let seed = 0; seed < 50; seed++) {
        const known = new Map(stored(seed).map((one) => [one.advisoryId, one]));
        for (const document of await published([...known.values()])) {
          if (document === undefined) continue;
          const bytes = Buffer.from(JSON.stringify(document));
          for (const given of readDocument(bytes, { name: "test" }).advisories) {
            const before = known.get(given.advisoryId);
            assert.ok(before !== undefined, `seed ${seed}: ${given.advisoryId} is not there`);
            const after = mergeAdvisory(before, given, IMPORTER);
            if (after !== before) assert.deepEqual(after, before, `seed ${seed}`);
            assert.equal(after, before, `seed ${seed}`);
          }
        }
      }
    });
  }
});
