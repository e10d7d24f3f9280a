/** Bare SQLite: the images that contain a package, those in use first, and their number: two statements. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Tally } from "../load/load.ts";
import { doJobs } from "../program.ts";

export interface PackageImagesJob {
  /** The data directory of a server. */
  readonly data: string;
  /** Asked for in turn. */
  readonly packages: readonly string[];
  readonly seconds: number;
}

const USE_MS = 30 * 24 * 3_600_000;

const PAGE = `SELECT p.image, p.location, v.id, v.purl, v.ecosystem, v.name, v.version, v.license, i.repo, i.digest,
    i.platform, i.pushed
  FROM package_versions v JOIN image_packages p ON p.version = v.id JOIN exposure_images i ON i.id = p.image
  WHERE v.name = ? ORDER BY i.tags > 0 AND i.pushed >= ? DESC, p.image, v.id LIMIT 50`;

const COUNT = `SELECT count(*) AS total FROM package_versions v JOIN image_packages p ON p.version = v.id
  WHERE v.name = ?`;

doJobs(async ({ data, packages, seconds }: PackageImagesJob) => {
  const database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
  const [page, count] = [database.prepare(PAGE), database.prepare(COUNT)];
  const since = Date.now() - USE_MS;
  const tally = new Tally(seconds, true);
  let at = 0;
  let name = "";
  do {
    name = packages[at++ % packages.length] as string;
    const response = { images: page.all(name, since), ...count.get(name) };
    if (JSON.stringify(response).length === 0) throw new Error("no response");
  } while (tally.answered());
  database.close();
  // The process under test itself, not a load generator.
  return { ...tally.result(), busy: 0 };
});
