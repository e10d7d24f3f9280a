import { type GroupedName, NAME_ROLES } from "../../store/tables/exposure/records/record-names.ts";

/** A vulnerability, as the records of some groups know it. */
export interface Vulnerability {
  /** The name by which it is best known: the smallest CVE, else the smallest name. */
  readonly name: string;
  readonly names: readonly string[];
}

/**
 * The vulnerabilities of records: names are of the same vulnerability if a record says so, or a chain of records. Only
 * records that apply together are considered, so that those of one organization never join those of another.
 */
export class Vulnerabilities {
  readonly #ofRecord = new Map<number, Vulnerability[]>();
  readonly #ofName = new Map<string, Vulnerability>();

  constructor(names: readonly GroupedName[]) {
    const sets = joined(names);
    for (const [name, all] of sets) {
      const first = all[0] as string;
      if (!this.#ofName.has(first)) this.#ofName.set(first, vulnerabilityOf(all));
      this.#ofName.set(name, this.#ofName.get(first) as Vulnerability);
    }
    for (const { record, name, role } of names) {
      if (role === NAME_ROLES.notice) continue;
      const one = this.#ofName.get(name) as Vulnerability;
      const others = this.#ofRecord.get(record) ?? [];
      if (!others.includes(one)) this.#ofRecord.set(record, [...others, one]);
    }
  }

  /** The vulnerabilities that a record is about. */
  of(record: number): readonly Vulnerability[] {
    return this.#ofRecord.get(record) ?? [];
  }

  /** All names of the vulnerability with a name. */
  namesOf(name: string): readonly string[] {
    return this.#ofName.get(name)?.names ?? [name];
  }
}

/** The sets of names that are joined, by each of their names; a set is one list. */
function joined(names: readonly GroupedName[]): Map<string, string[]> {
  const sets = new Map<string, string[]>();
  const firstOf = new Map<number, string>();
  for (const { record, name, role } of names) {
    if (role === NAME_ROLES.notice) continue;
    if (!sets.has(name)) sets.set(name, [name]);
    if (role !== NAME_ROLES.same) continue;
    const first = firstOf.get(record);
    if (first === undefined) firstOf.set(record, name);
    else join(sets, first, name);
  }
  return sets;
}

/** Adds the smaller set to the larger one. */
function join(sets: Map<string, string[]>, one: string, other: string): void {
  const [a, b] = [sets.get(one) as string[], sets.get(other) as string[]];
  if (a === b) return;
  const [large, small] = a.length >= b.length ? [a, b] : [b, a];
  large.push(...small);
  for (const name of small) sets.set(name, large);
}

function vulnerabilityOf(all: readonly string[]): Vulnerability {
  const names = [...new Set(all)].sort();
  return { name: names.find((name) => name.startsWith("CVE-")) ?? (names[0] as string), names };
}
