import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Line, Report } from "@wharf/contract/audit";
import type { Run } from "../../command/types.ts";
import { failed, usageError } from "../../errors.ts";
import type { verifyDefinition } from "../commands.ts";
import { Verifier } from "./verifier.ts";

export const verify: Run<typeof verifyDefinition> = async (context, { file, keys, since }) => {
  const trusted = keys === undefined ? undefined : readKeys(keys);
  const verifier = await read(file, trusted);
  let same: number | undefined;
  if (since !== undefined) {
    const older = await read(since, trusted);
    check(
      context,
      since,
      attempt(since, () => older.finish()),
      keys,
    );
    same = attempt(since, () => verifier.compareWith(older));
  }
  const report = attempt(file, () => verifier.finish());
  check(context, file, report, keys);
  if (same === 0)
    throw failed(`${since}: no checkpoint of it is in ${file}: nothing can be compared`);
  context.out.text(summary(report));
  if (same !== undefined) context.out.text(`${same} checkpoints of ${since} are in it`);
  if (keys === undefined) {
    context.err.note("the keys are those of the export; --keys trusts those that you saved before");
  }
};

async function read(file: string, trusted: readonly object[] | undefined): Promise<Verifier> {
  const verifier = new Verifier(trusted);
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
  return verifier;
}

/** Reports what is wrong with an export. */
function check(
  context: Parameters<typeof verify>[0],
  file: string,
  { problems, problemCount, unknownKeys }: Report,
  keys: string | undefined,
): void {
  for (const problem of problems) context.err.warn(problem);
  if (problemCount > 0) {
    const count = problemCount === 1 ? "1 problem" : `${problemCount} problems`;
    throw failed(`${file}: the audit log was tampered with: ${count}`);
  }
  if (unknownKeys.length > 0) throw failed(`${file}: ${unknownKeysText(unknownKeys, keys)}`);
}

/** An unknown key proves nothing: it may have been rotated, or belong to somebody else. */
function unknownKeysText(kids: readonly string[], trusted: string | undefined): string {
  const text = `not verified: checkpoints are signed with unknown keys: ${kids.join(", ")}`;
  if (trusted === undefined) return `${text}; the export does not have them`;
  return `${text}; if the server has rotated its keys since, compare them with /.well-known/wharf-audit-keys.json`;
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
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
  const { entries, since, checkpoints, chains, unhashed, filtered, isComplete } = report;
  const lines = [
    `verified ${entries} entries in ${chains} chains, with ${checkpoints} checkpoints`,
  ];
  if (since !== undefined) lines.push(`the first entry is of ${since}`);
  if (unhashed > 0) lines.push(`${unhashed} entries have no hash: recorded before version 0.2.0`);
  if (!isComplete) lines.push("the export is filtered: removed entries cannot be noticed");
  else if (filtered > 0) lines.push(`${filtered} entries are outside the export`);
  return lines.join("\n");
}
