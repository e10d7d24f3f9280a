import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** Facts about a vulnerability, by a name such as its CVE, whatever it affects. */
export interface VulnerabilityFacts {
  readonly name: string;
  /** Since when CISA lists it as exploited, in milliseconds; 0 if it does not. */
  readonly exploited: number;
  /** The probability of exploitation by EPSS, and its percentile, in millionths; 0 where EPSS does not have it. */
  readonly probability: number;
  readonly percentile: number;
}

/** The unit of `probability` and `percentile`. */
export const MILLION = 1_000_000;

export async function factsOf(
  reader: Reader,
  names: readonly string[],
): Promise<Map<string, VulnerabilityFacts>> {
  const rows = await reader.all<VulnerabilityFacts>(
    `SELECT name, exploited, probability, percentile FROM vulnerability_facts WHERE name IN (${reader.dialect.texts})`,
    JSON.stringify(names),
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/** All names that are listed as exploited. */
export async function exploitedNames(reader: Reader): Promise<string[]> {
  const sql = "SELECT name FROM vulnerability_facts WHERE exploited > 0 ORDER BY name";
  return (await reader.all<{ name: string }>(sql)).map(({ name }) => name);
}

/** Rows of a statement. */
const BATCH_SIZE = 200;

/** Replaces facts. Findings do not contain them: lists join them. */
export async function writeFacts(
  tx: Transaction,
  facts: readonly VulnerabilityFacts[],
  now: number,
): Promise<void> {
  for (let at = 0; at < facts.length; at += BATCH_SIZE) {
    const batch = facts.slice(at, at + BATCH_SIZE);
    await tx.run(
      `INSERT INTO vulnerability_facts (name, exploited, probability, percentile, updated)
       VALUES ${batch.map(() => "(?, ?, ?, ?, ?)").join(", ")}
       ON CONFLICT (name) DO UPDATE SET exploited = excluded.exploited, probability = excluded.probability,
         percentile = excluded.percentile, updated = excluded.updated`,
      ...batch.flatMap((one) => [one.name, one.exploited, one.probability, one.percentile, now]),
    );
  }
}
