import type { Content, KeptKind } from "./contents.ts";
import { apkPackages } from "./databases/apk.ts";
import type { DistributionPackage, IsOwnedFile } from "./databases/distribution-package.ts";
import { dpkgPackages, listedFiles, listedPackage } from "./databases/dpkg.ts";
import { parseOsRelease } from "./databases/os-release.ts";
import { rpmPackages } from "./databases/rpm.ts";
import { FileProblem } from "./failure.ts";
import type { ImageFiles } from "./image-files.ts";
import { resolvePath } from "./image-path.ts";
import type { Release } from "./inventory.ts";

/** Paths of the files of distributions; a copy elsewhere, of another root for example, is none of the image. */
const RELEASES = ["etc/os-release", "usr/lib/os-release"];
const DATABASES = [
  "lib/apk/db/installed",
  "usr/lib/apk/db/installed",
  "var/lib/dpkg/status",
  "var/lib/rpm/rpmdb.sqlite",
  "usr/lib/sysimage/rpm/rpmdb.sqlite",
];
/** Databases that are not read: of BerkeleyDB, and of rpm's own format. */
const UNSUPPORTED = ["var/lib/rpm", "usr/lib/sysimage/rpm"].flatMap((folder) => [
  `${folder}/Packages`,
  `${folder}/Packages.db`,
]);
const STATUS_FOLDER = "var/lib/dpkg/status.d";
const LIST_FOLDERS = ["var/lib/dpkg/info", STATUS_FOLDER];

/** The log of SQLite, whose content is not yet in the database. */
const LOG = "-wal";

/** A file that was found, at its real path. */
interface Found {
  readonly path: string;
  readonly bytes: Buffer;
}

type Report = (problem: FileProblem, path: string) => void;

/** The databases of the distribution among the files of an image. */
export class Distribution {
  readonly release: Release | undefined;
  readonly #files: ImageFiles<Content>;
  readonly #report: Report;

  constructor(files: ImageFiles<Content>, report: Report) {
    this.#files = files;
    this.#report = report;
    const release = this.#at(RELEASES, ["release"])[0];
    this.release = release && parseOsRelease(release.bytes);
  }

  /** The packages with the paths of the files that list them. */
  *packages(isOwned: IsOwnedFile): Generator<readonly [found: DistributionPackage, path: string]> {
    for (const { path } of this.#at(UNSUPPORTED, ["rpm-other"])) {
      const text = "only rpm databases of SQLite are read";
      this.#report(new FileProblem("unsupported_database", text), path);
    }
    const databases = [
      ...this.#at(DATABASES, ["apk", "dpkg", "rpm"]),
      ...this.#below([STATUS_FOLDER], "dpkg"),
    ];
    for (const file of databases) {
      try {
        for (const found of this.#read(file, isOwned)) yield [found, file.path];
      } catch (problem) {
        if (!(problem instanceof FileProblem)) throw problem;
        this.#report(problem, file.path);
      }
    }
  }

  /** The files of dpkg's packages, by name, and with the architecture where the list has it. */
  *lists(
    hasLength: (length: number) => boolean,
  ): Generator<readonly [name: string, architecture: string, files: Iterable<string>]> {
    for (const { path, bytes } of this.#below(LIST_FOLDERS, "dpkg-list")) {
      const listed = listedPackage(path);
      if (listed) yield [listed.name, listed.architecture, listedFiles(path, bytes, hasLength)];
    }
  }

  #read(file: Found, isOwned: IsOwnedFile): Iterable<DistributionPackage> {
    if (file.path.endsWith("/installed")) return apkPackages(file.bytes, isOwned);
    if (!file.path.endsWith(".sqlite")) return dpkgPackages(file.bytes);
    const log = this.#files.get(file.path + LOG);
    if (log?.kind === "rpm-log" && log.bytes.length > 0) {
      const text = "packages in the log of the database are missing";
      this.#report(new FileProblem("unmerged_log", text), file.path);
    }
    return rpmPackages(file.bytes, isOwned);
  }

  /** The files at paths, with links followed, each once. */
  #at(paths: readonly string[], kinds: readonly string[]): Found[] {
    const real = paths.map((path) => resolvePath(path, this.#files.links, true));
    return [...new Set(real)].flatMap((path) => {
      const value = path === undefined ? undefined : this.#files.get(path);
      if (path === undefined || value === undefined || !("bytes" in value)) return [];
      return kinds.includes(value.kind) ? [{ path, bytes: value.bytes }] : [];
    });
  }

  #below(folders: readonly string[], kind: KeptKind): Found[] {
    const real = folders.map((folder) => `${resolvePath(folder, this.#files.links, true)}/`);
    const found: Found[] = [];
    for (const [path, value] of this.#files) {
      const isBelow = value.kind === kind && real.some((folder) => path.startsWith(folder));
      if (isBelow && "bytes" in value) {
        found.push({ path, bytes: value.bytes });
      }
    }
    return found;
  }
}
