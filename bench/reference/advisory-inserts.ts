/** Reads the same files with the same readers, and only inserts a row for each advisory. */
import { DatabaseSync } from "node:sqlite";
import { toBinary } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { openSource } from "@wharf/advisories/source";
import { type AdvisoryDocument, AdvisorySchema } from "@wharf/contract";
import { doJobs } from "../program.ts";

export interface AdvisoryInsertJob {
  readonly folder: string;
  readonly file: string;
}

/** As many as the server commits in one transaction. */
const BATCH_SIZE = 250;

doJobs(async ({ folder, file }: AdvisoryInsertJob) => {
  const begun = performance.now();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, data BLOB NOT NULL)",
  );
  const insert = database.prepare("INSERT INTO plain (name, data) VALUES (?, ?)");
  let rows = 0;
  const write = (documents: readonly AdvisoryDocument[]) => {
    database.exec("BEGIN");
    for (const advisory of documents.flatMap(({ advisories }) => advisories)) {
      insert.run(advisory.advisoryId, toBinary(AdvisorySchema, advisory));
      rows++;
    }
    database.exec("COMMIT");
  };
  let pending: AdvisoryDocument[] = [];
  let count = 0;
  const { items } = await openSource(folder, process.stdin);
  for await (const item of items()) {
    if (item.kind !== "document") throw new Error(`${item.name} was not read`);
    const document = readDocument(item.bytes, { name: item.name });
    pending.push(document);
    count += document.advisories.length;
    if (count < BATCH_SIZE) continue;
    write(pending);
    pending = [];
    count = 0;
  }
  write(pending);
  database.close();
  return { rows, seconds: (performance.now() - begun) / 1000 };
});
