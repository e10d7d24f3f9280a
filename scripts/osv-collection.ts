/**
 * `npm run osv -- all.zip`: imports and republishes every record of an OSV collection (a folder or an archive, such as
 * the export of an OSV database), and compares what is affected. Exits with 1 when a record is rejected or differs.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import type { JsonObject } from "@bufbuild/protobuf";
import { osvDocument, osvId } from "../packages/advisories/src/publish/index.ts";
import { readDocument } from "../packages/advisories/src/read/index.ts";
import { openSource } from "../packages/advisories/src/source/index.ts";
import { stored } from "../packages/advisories/test/kept-sources.ts";
import {
  assertSameVersions,
  isAboutSomething,
} from "../packages/advisories/test/osv-boundaries.ts";
import { PUBLICATION } from "../packages/advisories/test/samples.ts";
import { assertValid } from "../packages/advisories/test/schemas.ts";

const [path] = parseArgs({ allowPositionals: true }).positionals;
if (path === undefined) {
  console.error("usage: npm run osv -- FOLDER-OR-ARCHIVE");
  process.exit(2);
}
const counts = { same: 0, withoutAffected: 0, failed: 0, affected: 0, unaffected: 0 };
const source = await openSource(path, process.stdin);
let seen = 0;
for await (const item of source.items()) {
  seen++;
  if (seen % 1000 === 0) console.error(`${seen} of ${source.total ?? "?"} records`);
  if (item.kind === "skipped") continue;
  try {
    if (item.kind === "rejected") throw item.error;
    compare(item.name, item.bytes);
  } catch (error) {
    counts.failed++;
    console.error(`${item.name}: ${(error as Error).message}`);
  }
}
console.log(
  `${counts.same} records same, ${counts.withoutAffected} about no package or commit, ${counts.failed} failed; ` +
    `${counts.affected} affected and ${counts.unaffected} unaffected versions compared`,
);
process.exitCode = counts.failed > 0 || counts.same === 0 ? 1 : 0;

/** Throws unless the document published after the import of a record has its id, affected entries and versions. */
function compare(name: string, bytes: Uint8Array): void {
  const record = JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
  const { affected = [] } = record as { affected?: JsonObject[] };
  if (affected.length === 0 || !isAboutSomething(record)) {
    counts.withoutAffected++;
    return;
  }
  const document = osvDocument(stored(readDocument(bytes, { name })), PUBLICATION) as JsonObject;
  assertValid("osv", document);
  if (osvId({ advisoryId: record.id as string }) !== document.id) {
    throw new Error(`published under the id ${document.id}`);
  }
  const published = document.affected as JsonObject[];
  for (const one of affected) {
    if (!published.some((other) => isDeepStrictEqual(other, one))) {
      throw new Error(`lost the affected entry ${JSON.stringify(one).slice(0, 300)}`);
    }
  }
  for (const one of published) {
    if (!affected.some((other) => isDeepStrictEqual(other, one))) {
      throw new Error(`added the affected entry ${JSON.stringify(one).slice(0, 300)}`);
    }
  }
  const versions = assertSameVersions(record, [document], name);
  counts.affected += versions.affected;
  counts.unaffected += versions.unaffected;
  counts.same++;
}
