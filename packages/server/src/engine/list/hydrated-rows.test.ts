import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Advisory, AdvisorySchema } from "@wharf/contract";
import { CountedTask } from "../../lib/testing/counted-task.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Catalog } from "../catalog.ts";
import type { Resource } from "../resource.ts";
import { hydratedRows } from "./hydrated-rows.ts";

const ROWS = 120;

const stored = Array.from({ length: ROWS }, (_, at) =>
  toBinary(AdvisorySchema, create(AdvisorySchema, { advisoryId: `CGA-${at}` })),
);

/** Sets a field of each row, and records the number of rows of each call. */
function hydrating(sizes: number[]): Pick<Resource<Advisory>, "definition"> {
  const hydrate = async (_reader: unknown, all: readonly Advisory[]) => {
    sizes.push(all.length);
    for (const one of all) one.author = `author of ${one.advisoryId}`;
  };
  return { definition: { schema: AdvisorySchema, hydrate } } as unknown as Resource<Advisory>;
}

const catalog = {} as Catalog;
const reader = {} as Reader;

for (const format of ["json", "binary"] as const) {
  test(`other tasks can run between any two rows of a page in ${format}`, async () => {
    const sizes: number[] = [];
    const task = new CountedTask();
    const rows = await hydratedRows(hydrating(sizes), catalog, reader, format, stored, task);
    const read = rows.map((row) =>
      typeof row === "string" ? (JSON.parse(row) as Advisory) : fromBinary(AdvisorySchema, row),
    );
    assert.deepEqual(
      read.map(({ advisoryId, author }) => [advisoryId, author]),
      Array.from({ length: ROWS }, (_, at) => [`CGA-${at}`, `author of CGA-${at}`]),
    );
    // Each row is decoded and encoded.
    assert.equal(task.steps, 2 * ROWS);
    assert.deepEqual(sizes, [50, 50, 20]);
  });
}
