import type { Content, KeptKind } from "./contents.ts";
import { composerPackages } from "./databases/composer.ts";
import { GEM_PATH, gemPackages } from "./databases/gem.ts";
import { JAR_PATH, readJar } from "./databases/jar.ts";
import type { LanguagePackage } from "./databases/language-package.ts";
import { NPM_PATH, npmPackages } from "./databases/npm.ts";
import { PYTHON_PATH, pythonPackages } from "./databases/python.ts";
import { FileProblem } from "./failure.ts";

/** Reads the bytes of a file of interest. Throws a FileProblem. */
export type ReadContent = (bytes: Buffer, maxBytes: number) => Content | Promise<Content>;

const keep =
  (kind: KeptKind): ReadContent =>
  (bytes) => ({ kind, bytes });

const parse =
  (read: (bytes: Buffer) => LanguagePackage[]): ReadContent =>
  (bytes) => ({ kind: "packages", packages: read(bytes), unknown: 0 });

const jar: ReadContent = async (bytes, maxBytes) => ({
  kind: "packages",
  ...(await readJar(bytes, maxBytes)),
});

/** Files by their names, and by the ends of their paths: what is above may be a link. */
const BY_NAME: Readonly<Record<string, readonly (readonly [RegExp, ReadContent])[]>> = {
  installed: [[/\/apk\/db\/installed$/, keep("apk")]],
  "installed.json": [[/(?:^|\/)vendor\/composer\/installed\.json$/, parse(composerPackages)]],
  METADATA: [[PYTHON_PATH, parse(pythonPackages)]],
  "os-release": [[/./, keep("release")]],
  "package.json": [[NPM_PATH, parse(npmPackages)]],
  Packages: [[/\/rpm\/Packages$/, keep("rpm-other")]],
  "Packages.db": [[/\/rpm\/Packages\.db$/, keep("rpm-other")]],
  "PKG-INFO": [[PYTHON_PATH, parse(pythonPackages)]],
  "rpmdb.sqlite": [[/\/rpm\/rpmdb\.sqlite$/, keep("rpm")]],
  "rpmdb.sqlite-wal": [[/\/rpm\/rpmdb\.sqlite-wal$/, keep("rpm-log")]],
  status: [[/\/dpkg\/status$/, keep("dpkg")]],
};

const OTHERS: readonly (readonly [RegExp, ReadContent])[] = [
  [/\/dpkg\/info\/[^/]+\.list$/, keep("dpkg-list")],
  [/\/dpkg\/status\.d\/[^/]+\.md5sums$/, keep("dpkg-list")],
  [/\/dpkg\/status\.d\/[^/]+$/, keep("dpkg")],
  [/\/os\.release\.d\/[^/]+$/, keep("release")],
  [JAR_PATH, jar],
  [GEM_PATH, parse(gemPackages)],
  [PYTHON_PATH, parse(pythonPackages)],
];

/** A necessary condition of the others: most files are recognized by their names alone. */
const IS_OTHER =
  /\.(?:list|gemspec|egg-info|jar|war|ear|hpi|jpi|par|sar|nar)$|\/status\.d\/|\/os\.release\.d\//;

/** The reader of the file at a path; undefined if the file is of no interest. */
export function interestIn(path: string): ReadContent | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = Object.hasOwn(BY_NAME, name) ? (BY_NAME[name] ?? []) : [];
  const all = IS_OTHER.test(path) ? [...named, ...OTHERS] : named;
  return all.find(([pattern]) => pattern.test(path))?.[1];
}

/** Reads a whole file. What cannot be read is a problem of the file. */
export function readContent(
  read: ReadContent,
  bytes: Buffer,
  maxBytes: number,
): Content | Promise<Content> {
  try {
    const content = read(bytes, maxBytes);
    return content instanceof Promise ? content.catch(problemOf) : content;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(problem: unknown): Content {
  if (problem instanceof FileProblem) return { kind: "problem", problem };
  throw problem;
}
