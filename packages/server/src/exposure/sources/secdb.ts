import { DownloadError } from "../../delivery/download.ts";
import { type FetchedFile, MAX_FILE_BYTES, type Validators } from "./fetcher.ts";
import { type SourceProgress, type SourceRun, timeOf, UNCHANGED } from "./run.ts";
import { secdbRecords } from "./secdb-records.ts";

/** The databases of a release of Alpine. Early releases have only the first. */
const REPOSITORIES = ["main", "community"] as const;

/** The validators of the files that are imported, by name. */
type Positions = Record<string, Validators>;

/** Imports the security database of a distribution. */
export async function importSecdb(run: SourceRun): Promise<SourceProgress> {
  const [ecosystem = ""] = run.source.ecosystems;
  const positions = { ...(run.position as Positions | undefined) };
  const fetched = await run.fetcher.only(positions[ecosystem]);
  if (fetched === undefined) return UNCHANGED;
  await importDatabase(run, fetched, ecosystem);
  await run.save({ [ecosystem]: validatorsOf(fetched) });
  return { isUnchanged: false, dataTime: timeOf(fetched.lastModified) };
}

/** Imports the security databases of releases of Alpine that have changed. */
export async function importAlpine(run: SourceRun): Promise<SourceProgress> {
  const positions: Positions = { ...(run.position as Positions | undefined) };
  let progress = UNCHANGED;
  for (const ecosystem of run.source.ecosystems) {
    const release = ecosystem.slice("Alpine:".length);
    for (const repository of REPOSITORIES) {
      run.signal.throwIfAborted();
      const name = `${release}/${repository}`;
      const url = run.fetcher.below(release, `${repository}.json`);
      const isOptional = repository !== "main";
      const fetched = await run.fetcher
        .file(url, MAX_FILE_BYTES, positions[name])
        .catch(isOptional ? unlessMissing : undefined);
      if (fetched === undefined) continue;
      await importDatabase(run, fetched, ecosystem);
      positions[name] = validatorsOf(fetched);
      await run.save(positions);
      const dataTime = Math.max(progress.dataTime ?? 0, timeOf(fetched.lastModified) ?? 0);
      progress = { isUnchanged: false, dataTime: dataTime || undefined };
    }
  }
  return progress;
}

async function importDatabase(
  { importer, tally, signal }: SourceRun,
  { file, lastModified }: FetchedFile,
  ecosystem: string,
): Promise<void> {
  try {
    // As a whole before anything is imported: a truncated file changes nothing.
    const records = secdbRecords(await file.json(), ecosystem, tally);
    for (const { id, record } of records) {
      signal.throwIfAborted();
      const bytes = Buffer.from(JSON.stringify(record));
      if (importer.add(`${ecosystem}/${id}`, bytes, "osv", timeOf(lastModified))) {
        await importer.flush();
      }
    }
    await importer.flush();
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof DownloadError && error.status === 404) return undefined;
  throw error;
}

function validatorsOf({ etag, lastModified }: Validators): Validators {
  return { etag, lastModified };
}
