import type { JsonObject } from "@bufbuild/protobuf";
import { textsIn } from "../../lib/json-values.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { storable } from "../../store/resources/storable.ts";
import { NAME_ROLES } from "../../store/tables/exposure/records/record-names.ts";
import type { NameOf } from "./record.ts";

const CVE = /^CVE-\d{4}-\d{4,}$/;

/**
 * The names of a record. Its id and aliases name the same vulnerability. Records of distributions often name it as
 * upstream or related; where they name several CVEs, they are notices about as many vulnerabilities, which are not the
 * same.
 */
export function namesOf(record: JsonObject, isDistribution: boolean): NameOf[] {
  const id = typeof record.id === "string" ? [record.id] : [];
  const own = [...id, ...textsIn(record.aliases)];
  const cves = isDistribution ? vulnerabilitiesOf(own, record) : [];
  if (cves.length < 2) return distinct([...own, ...cves], NAME_ROLES.same);
  const names = own.filter((name) => !cves.includes(name));
  return [...distinct(cves, NAME_ROLES.separate), ...distinct(names, NAME_ROLES.notice)];
}

/** The vulnerabilities that a record of a distribution names: by aliases, else as upstream, else as related. */
function vulnerabilitiesOf(own: readonly string[], { upstream, related }: JsonObject): string[] {
  const above = textsIn(upstream);
  for (const list of [own, above, textsIn(related)]) {
    const cves = list.filter((name) => CVE.test(name));
    if (cves.length > 0) return [...new Set(cves)];
  }
  return above;
}

/** As they are stored. */
function distinct(names: readonly string[], role: number): NameOf[] {
  const stored = names.map((name) => indexable(storable(name).trim()));
  return [...new Set(stored)].filter((name) => name !== "").map((name) => ({ name, role }));
}
