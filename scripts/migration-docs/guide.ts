import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, StepError } from "../step.ts";
import { tables } from "./tables.ts";

const GUIDE = join(ROOT, "docs/migrate-v1-to-v2.md");

/** The tables stand at the end of the guide, after this line. */
const MARK = "<!-- From here on written by npm run generate. -->\n";

function fresh(): string {
  const [words = "", rest] = readFileSync(GUIDE, "utf8").split(MARK);
  if (rest === undefined) throw new StepError(`${GUIDE} has no line ${MARK}`);
  return `${words}${MARK}\n${tables()}\n`;
}

/** Writes the tables of the guide anew. */
export async function writeGuide(): Promise<void> {
  writeFileSync(GUIDE, fresh());
}

/** They must be what the contract and the mapping say today. */
export async function guideIsCurrent(): Promise<void> {
  if (readFileSync(GUIDE, "utf8") === fresh()) return;
  throw new StepError(
    "docs/migrate-v1-to-v2.md is not what the contract says: npm run generate, and commit the result",
  );
}
