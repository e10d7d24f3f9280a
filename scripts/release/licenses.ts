import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

/** Works inside packages that their license files do not name. */
const ALSO_CONTAINED: Readonly<Record<string, string>> = {
  "jq-wasm": `Contains jq. Copyright (C) 2012 Stephen Dolan. The terms are those above (MIT).
jq contains decNumber, Copyright (c) 1995-2005 International Business Machines Corporation and others (ICU license), and
dtoa.c, Copyright (c) 1991, 2000, 2001 by Lucent Technologies (see https://netlib.org/fp/dtoa.c).`,
};

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  const also = ALSO_CONTAINED[name];
  return [`${name} ${version} (${license})`, ...texts, ...(also === undefined ? [] : [also])]
    .join("\n\n")
    .concat("\n");
}
