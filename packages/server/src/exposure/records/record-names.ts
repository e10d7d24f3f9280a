import type { JsonObject } from "@bufbuild/protobuf";
import { indexable } from "../../store/resources/indexable.ts";
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

/** As they are stored: PostgreSQL rejects NUL, and long texts in indexes. */
function distinct(names: readonly string[], role: number): NameOf[] {
  const cleaned = names.map((name) => indexable(name.replaceAll("\0", "\ufffd").trim()));
  return [...new Set(cleaned)].filter((name) => name !== "").map((name) => ({ name, role }));
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
