import { isObject } from "../../lib/json-values.ts";
import { SourceError } from "./errors.ts";
import type { SourceTally } from "./result.ts";

/** A record of OSV that a security database implies. */
export interface SecdbRecord {
  readonly id: string;
  readonly record: object;
}

/** The names of one vulnerability begin like `CVE-` and `GHSA-`. */
const NAME = /^[A-Z][A-Z0-9]*-[A-Za-z0-9][\w:.-]*$/;

interface Entry {
  readonly names: Set<string>;
  /** Versions with the fix, by package. */
  readonly fixes: Map<string, Set<string>>;
}

/**
 * The records of a security database of apk packages, one for each vulnerability. A fix in version 0 says that no version
 * is affected. Several fixes of a vulnerability in a package are ranges of which the longest counts, because the earlier
 * ones were incomplete. Throws if it is no security database.
 */
export function secdbRecords(
  database: unknown,
  ecosystem: string,
  tally: SourceTally,
): SecdbRecord[] {
  const packages = isObject(database) ? database.packages : undefined;
  if (!Array.isArray(packages)) {
    throw new SourceError("INVALID_DATA", "it is no security database: it has no list of packages");
  }
  const entries = new Map<string, Entry>();
  for (const [position, one] of packages.entries()) {
    const described = isObject(one) && isObject(one.pkg) ? one.pkg : {};
    const { name, secfixes } = described;
    if (typeof name !== "string" || name === "" || !isObject(secfixes ?? {})) {
      tally.reject(`packages[${position}]`, "has no name, or no versions with fixes");
    } else addFixes(entries, name, secfixes as Record<string, unknown>, tally);
  }
  return [...entries].map(([id, entry]) => recordOf(id, entry, ecosystem));
}

function addFixes(
  entries: Map<string, Entry>,
  name: string,
  secfixes: Record<string, unknown>,
  tally: SourceTally,
): void {
  for (const [version, fixed] of Object.entries(secfixes ?? {})) {
    for (const text of Array.isArray(fixed) ? fixed : [fixed]) {
      const names =
        typeof text === "string" ? text.split(/\s+/).filter((one) => NAME.test(one)) : [];
      const id = names.find((one) => one.startsWith("CVE-")) ?? names[0];
      if (id === undefined || version.trim() === "") {
        tally.reject(`${name} ${version}`, `${JSON.stringify(text) ?? ""} names no vulnerability`);
        continue;
      }
      const entry = entries.get(id) ?? { names: new Set(), fixes: new Map() };
      entries.set(id, entry);
      for (const one of names) entry.names.add(one);
      const versions = entry.fixes.get(name) ?? new Set();
      entry.fixes.set(name, versions.add(version));
    }
  }
}

/** Without a time of its own: that of an advisory changes when its fixes change. */
function recordOf(name: string, { names, fixes }: Entry, ecosystem: string): SecdbRecord {
  const id = `${ecosystem.split(":")[0]?.toUpperCase()}-${name}`;
  const affected = [...fixes].map(([packageName, versions]) => ({
    package: { ecosystem, name: packageName },
    ranges: [...versions].map((fixed) => ({
      type: "ECOSYSTEM",
      events: [{ introduced: "0" }, { fixed }],
    })),
  }));
  return { id, record: { schema_version: "1.7.0", id, upstream: [...names], affected } };
}
