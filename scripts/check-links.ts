/**
 * Checks the relative links of the Markdown documents: the file exists, and so does the heading.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize, relative } from "node:path";
import { ROOT, StepError } from "./step.ts";

/** The documents of the repository: those of its root, of docs and of packages. */
async function documents(): Promise<string[]> {
  const found = await readdir(ROOT);
  const top = found.filter((name) => name.endsWith(".md"));
  const docs = (await readdir(join(ROOT, "docs"), { recursive: true })).filter((name) =>
    name.endsWith(".md"),
  );
  const packages = (await readdir(join(ROOT, "packages"))).map(
    (name) => `packages/${name}/README.md`,
  );
  return [
    ...top,
    ...docs.map((name) => join("docs", name)),
    ...packages.filter((path) => existsSync(join(ROOT, path))),
  ];
}

/** The text without code, where brackets are not links. */
function prose(text: string): string {
  return text
    .replaceAll(/^( *)```.*?^\1```$/gms, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll("](", "] ("));
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose(text).matchAll(/^#+ (.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    for (let next = anchor, count = 1; ; next = `${anchor}-${count++}`) {
      if (anchors.has(next)) continue;
      anchors.add(next);
      break;
    }
  }
  return anchors;
}

/** The destinations of links and images that stay in the repository. */
export function linksOf(text: string): string[] {
  const inline = [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)];
  const html = [...prose(text).matchAll(/<img src="([^"]+)"/g)];
  const all = [...inline, ...html].map(([, target = ""]) => target);
  return all.filter((target) => !/^[a-z]+:/i.test(target));
}

/** Folders that a path in a document may be relative to. */
const BASES = [
  "",
  "proto/wharf",
  "packages/server/src",
  "packages/cli/src",
  "packages/advisories/src",
];

/** Source files that a document mentions in code spans, such as `engine/list/list.ts`. */
export function sourcesIn(text: string): string[] {
  const spans = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|proto))`/g)];
  return [...new Set(spans.map(([, path = ""]) => path))];
}

/** Fails with every link that leads nowhere, and every source file that does not exist. */
export async function linksAreValid(): Promise<void> {
  const texts = new Map<string, string>();
  for (const path of await documents()) texts.set(path, await readFile(join(ROOT, path), "utf8"));
  const broken: string[] = [];
  for (const [path, text] of texts) {
    for (const link of linksOf(text)) {
      const [file = "", anchor] = link.split("#");
      const target =
        file === "" ? path : relative(ROOT, normalize(join(ROOT, dirname(path), file)));
      const known = texts.get(target);
      if (!existsSync(join(ROOT, target))) broken.push(`${path}: ${link}: no such file`);
      else if (anchor !== undefined && known !== undefined && !anchorsOf(known).has(anchor)) {
        broken.push(`${path}: ${link}: no such heading`);
      }
    }
  }
  for (const [path, text] of texts) {
    for (const source of sourcesIn(text)) {
      if (BASES.some((base) => existsSync(join(ROOT, base, source)))) continue;
      broken.push(`${path}: ${source}: no such file`);
    }
  }
  if (broken.length > 0) throw new StepError(broken.join("\n"));
}
