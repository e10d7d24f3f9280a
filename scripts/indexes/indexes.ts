/**
 * Writes and checks the modules that list what proto files and resource definitions declare. May import the
 * generated code of the contract, but nothing that imports these modules.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, StepError, textOf } from "../step.ts";
import { capabilityNames } from "./capability-names.ts";
import { contractFiles } from "./contract-files.ts";
import { clientServiceNames, contractIndexes } from "./contract-index.ts";
import { resourceIndex } from "./resource-index.ts";

const CLIENT_README = "packages/client/README.md";

/** Writes them all. */
export async function writeIndexes(): Promise<void> {
  for (const [path, text] of await indexes()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}

/** Fails if a committed module differs from what would be written. */
export async function indexesAreCurrent(): Promise<void> {
  const stale = [...(await indexes())].flatMap(([path, text]) =>
    textOf(path) === text ? [] : [path],
  );
  if (stale.length === 0) return;
  throw new StepError(`${stale.join("\n")}\nis stale: run npm run generate and commit the result`);
}

async function indexes(): Promise<Map<string, string>> {
  const files = await contractFiles();
  return new Map([
    ...(await contractIndexes(files)),
    ...(await capabilityNames()),
    ...resourceIndex(),
    [CLIENT_README, readme(clientServiceNames(files))],
  ]);
}

/** The README of the client with the list of its services. */
function readme(names: readonly string[]): string {
  const text = textOf(CLIENT_README) ?? "";
  const list = names.map((name) => `\`${name}\``).join(", ");
  const begin = "<!-- services, written by npm run generate -->\n";
  const end = "\n<!-- end of services -->";
  const [before, rest] = text.split(begin);
  const after = rest?.slice(rest.indexOf(end));
  if (after === undefined || !after.startsWith(end)) {
    throw new StepError(`${CLIENT_README} needs the lines ${begin.trim()} and ${end.trim()}`);
  }
  return `${before}${begin}${list}${after}`;
}
