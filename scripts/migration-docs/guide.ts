import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, StepError } from "../step.ts";
import { tables } from "./tables.ts";

const GUIDE = join(ROOT, "docs/migrate-v1-to-v2.md");

/** The tables follow this line, at the end of the guide. */
const MARK = "<!-- Generated from here on by npm run generate. -->\n";

function fresh(): string {
  const [prose = "", rest] = readFileSync(GUIDE, "utf8").split(MARK);
  if (rest === undefined) throw new StepError(`${GUIDE} has no line ${MARK}`);
  return `${prose}${MARK}\n${tables()}\n`;
}

/** Regenerates the tables of the guide. */
export async function writeGuide(): Promise<void> {
  writeFileSync(GUIDE, fresh());
}

/** The committed tables must match the contract and the mapping. */
export async function guideIsCurrent(): Promise<void> {
  if (readFileSync(GUIDE, "utf8") === fresh()) return;
  throw new StepError(
    "docs/migrate-v1-to-v2.md differs from the contract: run npm run generate, and commit the result",
  );
}
