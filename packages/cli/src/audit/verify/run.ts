import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Line, Report } from "@wharf/contract/audit";
import type { Run } from "../../command/types.ts";
import { failed, usageError } from "../../errors.ts";
import type { verifyDefinition } from "../commands.ts";
import { Verifier } from "./verifier.ts";

export const verify: Run<typeof verifyDefinition> = async (context, { file, keys }) => {
  const verifier = new Verifier(keys === undefined ? undefined : readKeys(keys));
  const input = file === "-" ? process.stdin : createReadStream(file);
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line !== "") verifier.add(parse(line));
    }
  } catch (error) {
    throw failed(`${file}, line ${number}: ${(error as Error).message}`);
  }
  const report = finish(verifier, file);
  for (const problem of report.problems) context.err.warn(problem);
  if (report.problemCount > 0) {
    const count = report.problemCount === 1 ? "1 problem" : `${report.problemCount} problems`;
    throw failed(`the audit log was tampered with: ${count}`);
  }
  if (report.unknownKeys.length > 0) throw failed(unknownKeysText(report.unknownKeys, keys));
  context.out.text(summary(report));
  if (keys === undefined) {
    context.err.note("the keys are those of the export; --keys trusts those that you saved before");
  }
};

/** An unknown key proves nothing: it may have been rotated, or belong to somebody else. */
function unknownKeysText(kids: readonly string[], trusted: string | undefined): string {
  const text = `not verified: checkpoints are signed with unknown keys: ${kids.join(", ")}`;
  if (trusted === undefined) return `${text}; the export does not have them`;
  return `${text}; if the server has rotated its keys since, compare them with /.well-known/wharf-audit-keys.json`;
}

function finish(verifier: Verifier, file: string): Report {
  try {
    return verifier.finish();
  } catch (error) {
    throw failed(`${file}: ${(error as Error).message}`);
  }
}

function parse(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    throw new Error("not JSON: give an export as JSON Lines");
  }
}

function readKeys(text: string): readonly object[] {
  try {
    const { keys } = JSON.parse(text) as { keys: readonly object[] };
    if (Array.isArray(keys)) return keys;
  } catch {
    // Reported below.
  }
  throw usageError("--keys must be a JSON Web Key Set");
}

function summary(report: Report): string {
  const { entries, checkpoints, chains, unhashed, filtered, isComplete } = report;
  const lines = [
    `verified ${entries} entries in ${chains} chains, with ${checkpoints} checkpoints`,
  ];
  if (unhashed > 0) lines.push(`${unhashed} entries have no hash: recorded before version 0.2.0`);
  if (!isComplete) lines.push("the export is filtered: removed entries cannot be noticed");
  else if (filtered > 0) lines.push(`${filtered} entries are outside the export`);
  return lines.join("\n");
}
