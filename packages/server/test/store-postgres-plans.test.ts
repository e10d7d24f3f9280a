import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RESOURCES } from "../src/app/resources.ts";
import type { Driver, Reader } from "../src/store/db/connection.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { Store } from "../src/store/db/store.ts";
import type { Condition, Range } from "../src/store/resources/query.ts";
import { countRange, readPage } from "../src/store/testing/one-range.ts";
import { postgresPlan } from "../src/store/testing/recording-reader.ts";
import { emptyDatabase } from "./support/server/postgres.ts";

const ROOT = "a".repeat(40);
const COUNT = 25_000;

/** As many advisories as it takes for PostgreSQL to mind how it comes by them. */
const FILL = [
  `INSERT INTO advisories (id, uid, parent, root, name, created, updated, encoding, part, terms, data, json)
   SELECT n, '${ROOT}/' || lpad(to_hex(n), 16, '0'), '${ROOT}', '${ROOT}', 'CGA-' || n, n, n, 1, 0,
     '[]', decode(repeat('00', 500), 'hex'), repeat('x', 500)
   FROM generate_series(1, ${COUNT}) n`,
  `INSERT INTO advisories_terms (kind, value, row_id)
   SELECT 'alias', 'CVE-' || (n % 5000), n FROM generate_series(1, ${COUNT}) n`,
  `INSERT INTO advisories_terms (kind, value, row_id)
   SELECT 'artifact', 'package-' || (n % 2500), n FROM generate_series(1, ${COUNT}) n`,
  `INSERT INTO advisories_terms (kind, value, row_id)
   SELECT 'state', '2', n FROM generate_series(1, ${COUNT}) n`,
  "ANALYZE",
];

describe("the plan of a list by terms on PostgreSQL", () => {
  const { table } = RESOURCES.advisories;
  let driver: Driver;
  before(async () => {
    driver = await openPostgres(await emptyDatabase());
    const store = await Store.open(driver, [table], { committed() {} });
    await store.write(async (tx) => {
      for (const sql of FILL) await tx.run(sql);
    });
  });
  after(() => driver.close());

  const explain = (ask: (reader: Reader) => Promise<unknown>) => postgresPlan(driver.reader, ask);

  const any = (kind: string, ...anyOf: string[]) => ({ kind, anyOf, excluded: false });

  test("starts from the rows with a rare term, and never scans the table", async () => {
    const ranges: Range[] = [
      { everything: true, partitions: [0] },
      { below: ROOT, self: true, partitions: [0] },
      { childrenOf: ROOT, partitions: [0] },
    ];
    const several: Condition[][] = [
      [any("alias", "CVE-7")],
      [any("alias", "CVE-7", "CVE-9")],
      [any("artifact", "package-7")],
      [any("artifact", "package-7"), any("state", "2")],
      [any("alias", "CVE-7"), { ...any("state", "3"), excluded: true }],
    ];
    for (const range of ranges) {
      for (const filters of several) {
        const order = { column: "uid", descending: false } as const;
        const query = { range, filters, order, offset: 0, limit: 51 };
        for (const plan of [
          await explain((reader) => readPage(reader, table, query, "data")),
          await explain((reader) => countRange(reader, table, range, filters)),
        ]) {
          assert.match(plan, /advisories_terms_pkey/, plan);
          assert.doesNotMatch(plan, /Seq Scan on advisories/, plan);
          assert.match(plan, /advisories_pkey on advisories|advisories_pkey$/m, plan);
        }
      }
    }
  });
});
