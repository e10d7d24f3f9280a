/**
 * Every folder of packages/server/src has a README.md of three lines: what it is, what it may import, and where to start
 * reading. The imports of its files must be among those that it names, and these must follow the order of folders.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { importsOf, isChecked, isUpward, SERVER } from "./check-imports.ts";
import { ROOT, StepError } from "./step.ts";

const LINES = [
  /^- Is: .+\.$/,
  /^- May import: (?<folders>[^.]+)\./,
  /^- Start with: `(?<start>[\w./-]+\.ts)`$/,
];

/** The folders that a README.md names, or undefined for one that names everything. */
interface Introduction {
  readonly folders: readonly string[] | undefined;
  readonly start: string;
}

/** Reads a README.md; undefined if it does not have the three lines. */
export function introductionIn(text: string): Introduction | undefined {
  const lines = text.trimEnd().split("\n");
  const matches = LINES.map((line, index) => line.exec(lines[index] ?? ""));
  if (lines.length !== LINES.length || matches.includes(null)) return undefined;
  const named = matches[1]?.groups?.folders ?? "";
  const folders = named.startsWith("everything")
    ? undefined
    : [...named.matchAll(/`([^`]+)`/g)].map(([, folder = ""]) => folder);
  return { folders, start: matches[2]?.groups?.start ?? "" };
}

/**
 * Whether a folder that names others may import a file: one of its own, of the folders that it names, and of all below
 * these. Of a folder around it, only the files themselves.
 */
export function isNamed(folder: string, file: string, names: readonly string[]): boolean {
  const of = posix.dirname(file);
  if (isWithin(of, folder)) return true;
  return names.some((name) => (isWithin(folder, name) ? of === name : isWithin(of, name)));
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}/`);
}

/** The problems of a folder, with its README.md and the texts of its files by path. */
export function problemsOf(
  folder: string,
  readme: string | undefined,
  files: ReadonlyMap<string, string>,
): string[] {
  if (readme === undefined) return [`${folder}: has no README.md`];
  const introduction = introductionIn(readme);
  if (introduction === undefined)
    return [
      `${folder}/README.md: expected three lines: "- Is: …", "- May import: …", "- Start with: \`…\`"`,
    ];
  const { folders } = introduction;
  if (folders === undefined) return [];
  const upward = folders.filter((name) => isUpward(folder, name));
  const unnamed = [...files].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((imported) => !isNamed(folder, imported, folders))
      .map((imported) => `${file} imports ${imported}, which ${folder}/README.md does not name`),
  );
  return [
    ...upward.map((name) => `${folder}/README.md names ${name}, which is above it`),
    ...unnamed,
  ];
}

/** Throws a StepError that names every folder without its three lines, and every import that they do not name. */
export async function foldersIntroduceThemselves(): Promise<void> {
  const root = join(ROOT, SERVER);
  const sources = globSync("**/*.ts", { cwd: root });
  const folders = [...new Set(sources.flatMap((file) => around(posix.dirname(file))))].sort();
  const problems = folders.flatMap((folder) => {
    const path = join(root, folder, "README.md");
    const readme = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    const own = sources.filter((file) => posix.dirname(file) === folder && isChecked(file));
    const texts = own.sort().map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
    const start = readme === undefined ? undefined : introductionIn(readme)?.start;
    const isMissing = start !== undefined && !existsSync(join(root, folder, start));
    return [
      ...problemsOf(folder, readme, new Map(texts)),
      ...(isMissing ? [`${folder}/README.md: ${start}: no such file`] : []),
    ];
  });
  if (problems.length > 0)
    throw new StepError(problems.map((line) => `${SERVER}/${line}`).join("\n"));
}

/** A folder and the folders around it. */
function around(folder: string): string[] {
  const parts = folder.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
