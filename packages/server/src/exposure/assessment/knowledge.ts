import { isSelfOrBelow } from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import { type MatchRow, matchesBy } from "../../store/tables/exposure/records/matches.ts";
import {
  type GroupedName,
  NAME_ROLES,
  namesBeside,
  namesOfRecords,
  type RecordScope,
} from "../../store/tables/exposure/records/record-names.ts";
import { recordsById, type StoredRecord } from "../../store/tables/exposure/records/records.ts";
import type { Match, MatchDetail } from "../matching/match.ts";
import type { RecordDetail } from "../records/record.ts";
import { Vulnerabilities } from "./vulnerabilities.ts";

/** A record, as findings need it. */
export interface KnownRecord
  extends Pick<StoredRecord, "id" | "group" | "ecosystem" | "severity" | "score" | "updated"> {
  readonly detail: RecordDetail;
}

/** A match with its record. */
export interface KnownMatch extends Match {
  readonly record: KnownRecord;
}

/** Rounds of following aliases; more would be a chain that no database has. */
const MAX_ROUNDS = 20;

/** Records with their names and matches, of some vulnerabilities or of some package versions. */
export class Knowledge {
  /** Ascending by record. */
  readonly matches: ReadonlyMap<number, readonly KnownMatch[]>;
  readonly #names: readonly GroupedName[];
  readonly #groups: ReadonlySet<string>;
  readonly #byGroups = new Map<string, Vulnerabilities>();

  private constructor(
    records: readonly StoredRecord[],
    names: readonly GroupedName[],
    matches: readonly MatchRow[],
  ) {
    const byId = new Map(records.map((one) => [one.id, knownRecord(one)]));
    const parsed = matches
      .toSorted((a, b) => a.record - b.record)
      .flatMap(({ record, version, ...match }) => {
        const one = byId.get(record);
        return one === undefined ? [] : [{ version, match: knownMatch(one, match) }];
      });
    const grouped = Map.groupBy(parsed, ({ version }) => version);
    this.matches = new Map(
      [...grouped].map(([version, all]) => [version, all.map((one) => one.match)]),
    );
    this.#names = names;
    this.#groups = new Set(names.map(({ group }) => group));
  }

  /** The knowledge of the vulnerability with a name. */
  static async ofName(
    reader: Reader,
    name: string,
    scope: RecordScope,
  ): Promise<{ knowledge: Knowledge; names: ReadonlySet<string>; records: readonly number[] }> {
    const { names, found } = await closure(reader, [name], scope);
    const ids = [...new Set(found.map(({ record }) => record))];
    const records = await recordsById(reader, ids);
    const matches = await matchesBy(reader, "record", ids);
    return { knowledge: new Knowledge(records, found, matches), names, records: ids };
  }

  /** The knowledge of package versions. */
  static async ofVersions(
    reader: Reader,
    versions: readonly number[],
    scope: RecordScope,
  ): Promise<Knowledge> {
    const matches = await matchesBy(reader, "version", versions);
    const ids = [...new Set(matches.map(({ record }) => record))];
    const records = (await recordsById(reader, ids)).filter(({ group }) =>
      isRelevant(group, scope),
    );
    const own = await vulnerabilityNames(reader, records);
    const { found } = await closure(reader, own, scope);
    return new Knowledge(records, found, matches);
  }

  /** All names of the vulnerabilities. */
  get names(): string[] {
    return [...new Set(this.#names.map(({ name }) => name))];
  }

  /** The vulnerabilities as the records of some groups know them. */
  at(groups: readonly string[]): Vulnerabilities {
    const relevant = groups.filter((group) => this.#groups.has(group));
    const key = relevant.join(" ");
    let found = this.#byGroups.get(key);
    if (found === undefined) {
      const some = new Set(relevant);
      found = new Vulnerabilities(this.#names.filter(({ group }) => some.has(group)));
      this.#byGroups.set(key, found);
    }
    return found;
  }
}

/** All names of the vulnerabilities with these names, and the records that have one of them. */
export async function closure(
  reader: Reader,
  begin: readonly string[],
  scope: RecordScope,
): Promise<{ names: ReadonlySet<string>; found: readonly GroupedName[] }> {
  const names = new Set(begin);
  const found = new Map<string, GroupedName>();
  let added: readonly string[] = begin;
  for (let round = 0; added.length > 0 && round < MAX_ROUNDS; round++) {
    const rows = await namesBeside(reader, added, scope);
    for (const row of rows) found.set(`${row.record} ${row.name}`, row);
    const same = rows.filter(({ role }) => role === NAME_ROLES.same).map(({ name }) => name);
    added = [...new Set(same)].filter((name) => !names.has(name));
    for (const name of added) names.add(name);
  }
  return { names, found: [...found.values()] };
}

function isRelevant(group: string, { scope, above }: RecordScope): boolean {
  return above.includes(group) || isSelfOrBelow(group, scope);
}

async function vulnerabilityNames(
  reader: Reader,
  records: readonly StoredRecord[],
): Promise<string[]> {
  const names = await namesOfRecords(
    reader,
    records.map(({ id }) => id),
  );
  const some = names.filter(({ role }) => role !== NAME_ROLES.notice);
  return [...new Set(some.map(({ name }) => name))];
}

function knownRecord(row: StoredRecord): KnownRecord {
  const { id, group, ecosystem, severity, score, updated } = row;
  const detail = JSON.parse(row.detail) as RecordDetail;
  return { id, group, ecosystem, severity, score, updated, detail };
}

function knownMatch(
  record: KnownRecord,
  { state, matchedBy, fixed, detail }: Omit<MatchRow, "record" | "version">,
): KnownMatch {
  return {
    record,
    state,
    matchedBy,
    fixed: JSON.parse(fixed) as string[],
    detail: JSON.parse(detail) as MatchDetail,
  };
}
