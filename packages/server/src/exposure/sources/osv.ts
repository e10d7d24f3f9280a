import { fileItems, SOURCE_LIMITS } from "@wharf/advisories/archives";
import { READ_LIMITS } from "@wharf/advisories/import";
import { SourceError } from "./errors.ts";
import { type FetchedFile, MAX_ARCHIVE_BYTES, MAX_FILE_BYTES, type Validators } from "./fetcher.ts";
import { type ChangedRecord, changedSince, type SeenRecords, seenAfter } from "./osv-changes.ts";
import { type SourceProgress, type SourceRun, timeOf } from "./run.ts";

/** More changed records are read from the archive of the ecosystem. */
const MAX_SINGLE_RECORDS = 500;

/** Records that are requested at a time. */
const CONCURRENCY = 8;

/** The progress of the import of an ecosystem. */
interface Position {
  /** The validators of the list of changes whose records are all imported. */
  readonly list?: Validators;
  readonly seen?: SeenRecords;
  /** The archive that is being imported, and the number of its entries that are. */
  readonly archive?: { readonly etag: string; readonly entries: number };
}

type Positions = Record<string, Position>;

/** Imports the records of a bucket in the layout of osv.dev that have changed, by ecosystem. */
export async function importOsv(run: SourceRun): Promise<SourceProgress> {
  const positions: Positions = { ...(run.position as Positions | undefined) };
  let isUnchanged = true;
  for (const ecosystem of run.source.ecosystems) {
    const save = async (position: Position) => {
      positions[ecosystem] = position;
      await run.save(positions);
    };
    const own = new Ecosystem(run, ecosystem, positions[ecosystem] ?? {}, save);
    if (await own.import()) isUnchanged = false;
  }
  const times = run.source.ecosystems.map((one) => positions[one]?.seen?.time ?? 0);
  return { isUnchanged, dataTime: Math.max(0, ...times) || undefined };
}

class Ecosystem {
  readonly #run: SourceRun;
  readonly #name: string;
  readonly #save: (position: Position) => Promise<void>;
  #position: Position;

  constructor(
    run: SourceRun,
    name: string,
    position: Position,
    save: (position: Position) => Promise<void>,
  ) {
    this.#run = run;
    this.#name = name;
    this.#position = position;
    this.#save = save;
  }

  /** Returns false if nothing has changed. */
  async import(): Promise<boolean> {
    const { fetcher } = this.#run;
    const { seen, list: before } = this.#position;
    const url = fetcher.below(this.#name, "modified_id.csv");
    const { chunks, ...list } = await fetcher.open(url, MAX_FILE_BYTES, before);
    if (chunks === undefined) return false;
    let changed = await changedSince(chunks, seen);
    if (seen === undefined || changed.length > MAX_SINGLE_RECORDS) {
      changed = await this.#importArchive(changed);
    }
    await this.#importSingly(changed);
    const { seen: all } = this.#position;
    await this.#moveTo({ list, ...(all && { seen: all }) });
    return true;
  }

  async #moveTo(position: Position): Promise<void> {
    this.#position = position;
    await this.#save(position);
  }

  /** Imports records from the archive. Returns those that it does not have, or not as they are listed. */
  async #importArchive(changed: readonly ChangedRecord[]): Promise<ChangedRecord[]> {
    const { fetcher } = this.#run;
    const url = fetcher.below(this.#name, "all.zip");
    const archive = (await fetcher.file(url, MAX_ARCHIVE_BYTES)) as FetchedFile;
    let found: ReadonlySet<string>;
    try {
      found = await this.#importEntries(archive, changed);
    } finally {
      await archive.file.close();
    }
    // Without a time, the archive is as new as the list, which was read before.
    const made = timeOf(archive.lastModified) ?? Number.POSITIVE_INFINITY;
    const isMissing = ({ id, time }: ChangedRecord) => time >= made || !found.has(fileOf(id));
    const first = changed.findIndex(isMissing);
    const seen = seenAfter(this.#position.seen, first < 0 ? changed : changed.slice(0, first));
    await this.#moveTo({ ...(seen && { seen }) });
    return changed.filter(isMissing);
  }

  /** Returns the names of all entries. */
  async #importEntries(
    { file, etag }: FetchedFile,
    changed: readonly ChangedRecord[],
  ): Promise<ReadonlySet<string>> {
    const { importer, signal } = this.#run;
    const { archive: begun, seen } = this.#position;
    const done = etag !== "" && begun?.etag === etag ? begun.entries : 0;
    // The first import takes everything.
    const files = seen && new Set(changed.map(({ id }) => fileOf(id)));
    const name = `${this.#name}/all.zip`;
    const found = new Set<string>();
    for await (const item of fileItems(name, file, SOURCE_LIMITS)) {
      signal.throwIfAborted();
      // The archive as a whole: what comes before its damage was read from its directory, and is sound.
      if (item.kind === "rejected" && item.name === name) {
        const [problem] = item.error.problems;
        throw new SourceError("INVALID_DATA", `all.zip ${problem?.reason ?? "cannot be read"}`);
      }
      const path = item.name.slice(name.length + 1);
      found.add(path);
      if (found.size <= done || item.kind === "skipped" || files?.has(path) === false) continue;
      if (item.kind === "rejected") importer.reject(item.name, item.error);
      else if (importer.add(item.name, item.bytes, "osv", item.time)) {
        await importer.flush();
        await this.#moveTo({ ...this.#position, archive: { etag, entries: found.size } });
      }
    }
    await importer.flush();
    return found;
  }

  /** Imports records one by one, the earliest first. */
  async #importSingly(changed: readonly ChangedRecord[]): Promise<void> {
    const { importer, signal } = this.#run;
    let done = 0;
    const flush = async () => {
      await importer.flush();
      const seen = seenAfter(this.#position.seen, changed.slice(0, done));
      await this.#moveTo({ ...(seen && { seen }) });
    };
    let isFull = false;
    while (done < changed.length) {
      signal.throwIfAborted();
      const some = changed.slice(done, done + CONCURRENCY);
      for (const isLast of await Promise.all(some.map((one) => this.#add(one)))) isFull ||= isLast;
      done += some.length;
      if (!isFull) continue;
      await flush();
      isFull = false;
    }
    if (changed.length > 0) await flush();
  }

  async #add({ id, time }: ChangedRecord): Promise<boolean> {
    const { fetcher, importer, tally } = this.#run;
    const url = fetcher.below(this.#name, fileOf(id));
    const bytes = await fetcher.bytes(url, READ_LIMITS.documentBytes);
    if (bytes !== undefined) return importer.add(`${this.#name}/${id}`, bytes, "osv", time);
    tally.reject(`${this.#name}/${id}`, "is listed, but the source does not have it");
    return false;
  }
}

/** The name of a record in a bucket. */
function fileOf(id: string): string {
  return `${id}.json`;
}
