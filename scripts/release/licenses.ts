import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import type { BuildResult } from "esbuild";
import { ROOT } from "../step.ts";

const PACKAGE = /^(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;

/** The licenses of all packages that bundles contain, as most of them require. */
export function licensesOf(built: readonly BuildResult[]): string {
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  return [...folders]
    .map((folder) => join(ROOT, folder))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => noticeOf(folder))
    .sort()
    .join(`\n${"-".repeat(80)}\n`);
}

/** License texts of works inside packages whose own license files do not have them: a folder for each, with its version. */
const NOTICES = join(import.meta.dirname, "notices");

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts, ...contained(name, version)]
    .join("\n\n")
    .concat("\n");
}

/** A new version may contain other works, so its texts are read again by a person. */
function contained(name: string, version: string): string[] {
  const folder = readdirSync(NOTICES).find((one) => one.startsWith(`${name}@`));
  if (folder === undefined) return [];
  if (folder !== `${name}@${version}`) throw new Error(`${folder} is not ${name}@${version}`);
  return readdirSync(join(NOTICES, folder))
    .sort()
    .map((file) => {
      const text = readFileSync(join(NOTICES, folder, file), "utf8").trim();
      return `Contains ${parse(file).name}:\n\n${text}`;
    });
}
