/**
 * Keeps the direction of imports within packages/server/src: a folder imports folders below it in
 * the list, never one above. So a reader can follow a request downwards, and the lower folders can
 * be understood without the upper ones. Within the store, what runs transactions knows no table. The rules of
 * packages/trust, which the console bundles, import types only.
 */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT, StepError } from "./step.ts";

export const SERVER = "packages/server/src";

/** The folders from the bottom to the top. */
const LAYERS = [
  "lib",
  "config",
  "store",
  "secrets",
  "auth",
  "rpc",
  "wire",
  "observe",
  "engine",
  "delivery",
  "audit",
  "events",
  "iam",
  "scim",
  "sts",
  "clouds",
  "registry",
  "login",
  "console",
  "vulnerabilities",
  "exposure",
  "v1",
  "app",
];

/** Imports against the direction: file, imported folder, and why it is accepted. */
const EXCEPTIONS: readonly (readonly [file: string, folder: string, reason: string])[] = [
  ["config/schema/operation.ts", "observe", "the log levels are those of the logger"],
  ["config/addresses.ts", "store", "published addresses are stored for the operator commands"],
];

const IMPORT = /^(?:import|export)\b[^;"]*?from "(\.[^"]+)";/gm;

/** Drivers and transactions, except for the files that compose a store: tables are registered there (store/participants.ts). */
const WITHOUT_TABLES = /^store\/db\/(?!(?:open|store)\.ts$)/;
const TABLES = /^store\/(?:participants\.ts|resources\/|tables\/)/;

/** The tables that a file of the store imports, although it must not know any. */
export function importedTables(file: string, text: string): string[] {
  if (!WITHOUT_TABLES.test(file)) return [];
  return importsOf(file, text).filter((path) => TABLES.test(path));
}

/** All parts of the engine. Consumers declare the two or three that they use. */
const ENGINE = "engine/engine.ts";

/** Whether a file below the composition root gets the whole engine. */
export function importsEngine(file: string, text: string): boolean {
  return folderOf(file) !== "app" && importsOf(file, text).includes(ENGINE);
}

/** The imports of a file of the server that go upwards. */
export function upwardImports(file: string, text: string): string[] {
  const folder = folderOf(file);
  const found = importsOf(file, text).map(folderOf);
  return [...new Set(found)].filter((imported) => {
    const isExcepted = EXCEPTIONS.some(([path, to]) => path === file && to === imported);
    return levelOf(imported, file) > levelOf(folder, file) && !isExcepted;
  });
}

/** The files of ours that a file imports, as paths in the server. */
export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, path = ""]) =>
    posix.normalize(posix.join(posix.dirname(file), path)),
  );
}

/** Whether a folder stands above another one, and no exception allows to import it. */
export function isUpward(folder: string, imported: string): boolean {
  const [from, to] = [folderOf(folder), folderOf(imported)];
  const isExcepted = EXCEPTIONS.some(([path, other]) => folderOf(path) === from && other === to);
  return levelOf(to, folder) > levelOf(from, folder) && !isExcepted;
}

/** Whether the imports of a file are checked: those of tests and their support are not. */
export function isChecked(file: string): boolean {
  return !file.endsWith(".test.ts") && !file.includes("/testing/");
}

function folderOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function levelOf(folder: string, file: string): number {
  const level = LAYERS.indexOf(folder);
  if (level < 0) throw new StepError(`${SERVER}/${file}: ${folder} is not in the list of folders`);
  return level;
}

/** Tests read settings with `testSettings`: others may fall back to the data directory of the user. */
const TESTS = "packages/*/{test/**/*.ts,src/**/*.test.ts}";
const READS_SETTINGS = /^import [^;]*\breadSettings\b[^;]* from "[^"]*\/config\/settings\.ts";/m;

/** The tests of the function itself, and the one place that others call it at. */
const READERS = [
  "packages/server/src/config/settings.test.ts",
  "packages/server/test/support/server/test-settings.ts",
];

/** Whether a test may use the data directory of the user. */
export function readsUserSettings(file: string, text: string): boolean {
  return READS_SETTINGS.test(text) && !READERS.includes(file);
}

/** Throws a StepError that names every test whose settings may be those of the user. */
export async function testsHaveTheirOwnData(): Promise<void> {
  const found = globSync(TESTS, { cwd: ROOT }).sort();
  const problems = found.filter((file) =>
    readsUserSettings(file, readFileSync(join(ROOT, file), "utf8")),
  );
  if (problems.length > 0)
    throw new StepError(
      `${problems.join("\n")}\ntests call testSettings(…) of ${READERS[1]}: readSettings(…) falls back to ./data`,
    );
}

/** Packages that browsers run as they are: source files import files beside them, and types of the contract. */
const PORTABLE = "packages/trust/src";
const ANY_IMPORT =
  /^(?:import|export\b[^;"]*?from|import\b[^;"]*?from) "([^"]+)";|\bimport\("([^"]+)"\)/gm;

/** The imports that keep a file of the trust rules from running in a browser. */
export function unportableImports(text: string): string[] {
  return [...text.matchAll(ANY_IMPORT)]
    .filter(([line, path = ""]) => !path.startsWith("./") && !/^import type\b/.test(line))
    .map(([, path = "", lazy = path]) => lazy);
}

/** Throws a StepError that names every file of the trust rules that browsers could not run. */
export async function trustRunsAnywhere(): Promise<void> {
  const files = globSync("*.ts", { cwd: join(ROOT, PORTABLE) });
  const problems = files
    .filter((file) => !file.endsWith(".test.ts"))
    .sort()
    .flatMap((file) =>
      unportableImports(readFileSync(join(ROOT, PORTABLE, file), "utf8")).map(
        (path) => `${PORTABLE}/${file} imports ${path}`,
      ),
    );
  if (problems.length > 0)
    throw new StepError(
      `${problems.join("\n")}\nthe console bundles these files: only types come from packages`,
    );
}

/** Throws a StepError that names every import against the direction. */
export async function importsGoDown(): Promise<void> {
  const files = globSync("**/*.ts", { cwd: join(ROOT, SERVER) });
  const problems = files
    .filter(isChecked)
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, SERVER, file), "utf8");
      return [
        ...upwardImports(file, text).map((to) => `${SERVER}/${file} imports ${to}/`),
        ...importedTables(file, text).map((table) => `${SERVER}/${file} imports ${table}`),
        ...(importsEngine(file, text)
          ? [`${SERVER}/${file} imports ${ENGINE}: only app/ does`]
          : []),
      ];
    });
  if (problems.length > 0) {
    throw new StepError(
      `${problems.join("\n")}\nfolders import only those below them: ${LAYERS.join(" < ")}`,
    );
  }
}
