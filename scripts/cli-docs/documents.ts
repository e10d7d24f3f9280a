import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, StepError, textOf } from "../step.ts";
import { manPages } from "./man.ts";
import { markdown } from "./markdown.ts";

const MAN = "packages/cli/man";

/** The generated documents by path. */
function documents(): Map<string, string> {
  const pages = [...manPages()].map(([name, text]): [string, string] => [`${MAN}/${name}`, text]);
  return new Map([["docs/cli.md", markdown()], ...pages]);
}

/** Writes docs/cli.md and the man pages. */
export async function writeDocuments(): Promise<void> {
  rmSync(join(ROOT, MAN), { recursive: true, force: true });
  for (const [path, text] of documents()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}

/** Fails if the committed documents differ from the definitions. */
export async function documentsAreCurrent(): Promise<void> {
  const fresh = documents();
  const present = readdirSync(join(ROOT, MAN)).map((name) => `${MAN}/${name}`);
  const paths = [...new Set([...fresh.keys(), ...present])].sort();
  const stale = paths.filter((path) => fresh.get(path) !== textOf(path));
  if (stale.length > 0) {
    throw new StepError(
      `${stale.join("\n")}\ndiffers from the command definitions: run npm run generate and commit the result`,
    );
  }
}
