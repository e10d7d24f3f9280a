import type { Transaction } from "../../store/db/commit/transaction.ts";
import { NAME_ROLES, namesOfRecords } from "../../store/tables/exposure/records/record-names.ts";
import { recordsById } from "../../store/tables/exposure/records/records.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";

/** Requests the assessment of the images at and below a group or repo for a vulnerability, by one of its names. */
export function vulnerabilityWork(scope: string, name: string, due = 0) {
  return { kind: "vulnerability", key: `${scope} ${name}`, due } as const;
}

/** The scope and the name of a vulnerability in the key of work; undefined if it is none. */
export function readVulnerabilityKey(key: string): { scope: string; name: string } | undefined {
  const at = key.indexOf(" ");
  return at < 0 ? undefined : { scope: key.slice(0, at), name: key.slice(at + 1) };
}

/** Requests the assessment of the images that records apply to, once for each vulnerability and group. */
export async function requestAssessment(
  tx: Transaction,
  recordIds: readonly number[],
): Promise<void> {
  if (recordIds.length === 0) return;
  const groups = new Map((await recordsById(tx, recordIds)).map(({ id, group }) => [id, group]));
  const names = Map.groupBy(await namesOfRecords(tx, recordIds), ({ record }) => record);
  const work = [...names].flatMap(([record, all]) => {
    const group = groups.get(record);
    if (group === undefined) return [];
    return representatives(all).map((name) => vulnerabilityWork(group, name));
  });
  await requestWork(tx, work);
}

/** One name for each vulnerability of a record: the assessment finds the others. */
export function representatives(
  names: readonly { readonly name: string; readonly role: number }[],
): string[] {
  const same = names.filter(({ role }) => role === NAME_ROLES.same).map(({ name }) => name);
  const separate = names.filter(({ role }) => role === NAME_ROLES.separate);
  return [...same.sort().slice(0, 1), ...separate.map(({ name }) => name)];
}
