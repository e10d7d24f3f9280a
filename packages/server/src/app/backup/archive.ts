import { StringDecoder } from "node:string_decoder";
import { ConfigError } from "../../config/settings.ts";
import { VERSION } from "../../lib/version.ts";
import { type CopiedTable, readRow } from "../../store/copy/copied-table.ts";
import { ContentDigest, isSameContent, type TableContent } from "../../store/copy/digest.ts";
import { type Content, type CopyProgress, isStoredKey, type TableRows } from "./fill-target.ts";
import type { StoreSource } from "./store-source.ts";

/**
 * The content of a backup: lines of JSON. The first one describes the store and has its secret key; then each table
 * has a line with its name, one for each row, and one with their number and digest; the last line says that it is
 * complete. The file is compressed with gzip and encrypted with age.
 */

const FORMAT = "wharf-backup";
const FORMAT_VERSION = 1;

export interface ArchiveHeader extends Content {
  readonly format: typeof FORMAT;
  readonly formatVersion: number;
  readonly time: string;
  /** Base64. */
  readonly secretKey: string;
  /** Whether the key was in the database. */
  readonly keyIsStored: boolean;
}

/** The lines of a backup, several at a time. */
export async function* archiveLines(
  source: StoreSource,
  progress: CopyProgress,
): AsyncGenerator<string> {
  const { snapshot, tables, definitions, step, rows, secretKey } = source;
  const header: ArchiveHeader = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    version: VERSION,
    time: new Date().toISOString(),
    store: snapshot.reader.dialect.name,
    step,
    rows,
    tables,
    definitions,
    secretKey: secretKey.key.toString("base64"),
    keyIsStored: secretKey.isStored,
  };
  yield `${JSON.stringify(header)}\n`;
  let done = 0;
  for (const table of tables) {
    const digest = new ContentDigest(table);
    yield `${JSON.stringify({ table: table.name })}\n`;
    for await (const batch of snapshot.rows(table)) {
      const copied = batch.filter((row) => !isStoredKey(table, row));
      const lines = copied.map((row) => `${digest.add(row)}\n`);
      yield lines.join("");
      done += batch.length;
      progress(done, rows);
    }
    yield `${JSON.stringify({ content: digest.content() })}\n`;
  }
  yield `${JSON.stringify({ end: tables.length })}\n`;
}

/** A backup that is being read. */
export interface Archive {
  readonly header: ArchiveHeader;
  /** The rows. Throws at the end of a table that is not what was written, and if the end is missing. */
  rows(): AsyncGenerator<TableRows>;
}

export async function openArchive(content: AsyncIterable<Buffer>): Promise<Archive> {
  const lines = batchesOfLines(content);
  const first = await lines.next();
  const [line = "", ...rest] = first.value ?? [];
  const header = readHeader(line);
  return { header, rows: () => readRows(header, rest, lines) };
}

function readHeader(line: string): ArchiveHeader {
  let header: Partial<ArchiveHeader>;
  try {
    header = JSON.parse(line);
  } catch {
    header = {};
  }
  if (header.format !== FORMAT) throw new ConfigError("it is not a backup of wharf");
  if (header.formatVersion !== FORMAT_VERSION)
    throw new ConfigError(
      `it was written by wharf ${header.version}, in a format that this version does not know`,
    );
  return header as ArchiveHeader;
}

async function* readRows(
  { tables }: ArchiveHeader,
  first: readonly string[],
  others: AsyncGenerator<string[]>,
): AsyncGenerator<TableRows> {
  let finished = 0;
  let isComplete = false;
  let table: CopiedTable | undefined;
  let digest: ContentDigest | undefined;
  async function* all() {
    yield first;
    yield* others;
  }
  for await (const lines of all()) {
    let rows: ReturnType<typeof readRow>[] = [];
    for (const line of lines) {
      if (isComplete) throw damaged("something follows its end");
      if (line.startsWith("[") && table && digest) {
        digest.addText(line);
        rows.push(readRow(table, line));
        continue;
      }
      const mark = JSON.parse(line) as Mark;
      if (mark.table !== undefined) {
        table = tables[finished];
        if (table?.name !== mark.table) throw damaged(`${mark.table} is in another place`);
        digest = new ContentDigest(table);
      } else if (mark.content !== undefined && table && digest) {
        yield { table, rows };
        rows = [];
        if (!isSameContent(mark.content, digest.content())) throw damaged(`rows of ${table.name}`);
        finished += 1;
        table = undefined;
      } else isComplete = mark.end === tables.length && mark.end === finished;
    }
    if (table && rows.length > 0) yield { table, rows };
  }
  if (!isComplete) throw damaged("its end is missing");
}

interface Mark {
  readonly table?: string;
  readonly content?: TableContent;
  readonly end?: number;
}

function damaged(what: string): ConfigError {
  return new ConfigError(`the backup is damaged: ${what}`);
}

/** Whole lines, as many as arrive together. */
async function* batchesOfLines(content: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const bytes of content) {
    const lines = (rest + decoder.write(bytes)).split("\n");
    rest = lines.pop() as string;
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") throw damaged("its last line is cut off");
}
