import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  ancestorsOf,
  parentOf,
  type Severity,
  type Vulnerability,
  VulnerabilitySchema,
} from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import { indexable } from "../../store/resources/indexable.ts";
import {
  type NamedVulnerability,
  type StoredVulnerability,
  vulnerabilitiesNamed,
} from "../../store/tables/advisories/vulnerabilities.ts";

/** The stored row of a vulnerability in a group. */
export function vulnerabilityRow(group: string, vulnerability: Vulnerability): StoredVulnerability {
  const { id, updateTime } = vulnerability;
  const updated = updateTime === undefined ? 0 : timestampMs(updateTime);
  return { group, id, updated, data: toBinary(VulnerabilitySchema, vulnerability) };
}

/** The fields of an advisory that determine its severities. */
export type Rated = Pick<Advisory, "uid" | "aliases" | "severities">;

/**
 * Hydrates the severities of advisories: those of all vulnerabilities that have one of the aliases as a
 * name. Where several groups have a vulnerability, the nearest ancestor takes precedence.
 */
export async function addSeverities(reader: Reader, all: readonly Rated[]): Promise<void> {
  const names = [...new Set(all.flatMap(({ aliases }) => aliases))];
  if (names.length === 0) return;
  const groups = [...new Set(all.flatMap(groupsOf))];
  const found = (await vulnerabilitiesNamed(reader, groups, names)).map(rating);
  if (found.length === 0) return;
  const known = Map.groupBy(found, ({ name }) => name);
  for (const advisory of all) {
    const nearest = nearestOf(advisory, known);
    advisory.severities = distinct(nearest.flatMap(({ severities }) => severities));
  }
}

/** The severities of a vulnerability under one of its names, decoded once for all advisories. */
interface Rating extends Omit<NamedVulnerability, "data"> {
  readonly severities: readonly Severity[];
}

function rating({ name, group, id, data }: NamedVulnerability): Rating {
  return { name, group, id, severities: fromBinary(VulnerabilitySchema, data).severities };
}

/** The group of an advisory and its ancestors, nearest first. */
function groupsOf({ uid }: Rated): string[] {
  const group = parentOf(uid);
  return [group, ...ancestorsOf(group)];
}

function nearestOf(advisory: Rated, known: ReadonlyMap<string, readonly Rating[]>): Rating[] {
  const groups = groupsOf(advisory);
  const chosen = new Map<string, Rating>();
  for (const one of advisory.aliases.flatMap((alias) => known.get(indexable(alias)) ?? [])) {
    const distance = groups.indexOf(one.group);
    const before = chosen.get(one.id);
    if (distance < 0) continue;
    if (before === undefined || distance < groups.indexOf(before.group)) chosen.set(one.id, one);
  }
  return [...chosen.values()];
}

function distinct(severities: readonly Severity[]): Severity[] {
  const seen = new Map(severities.map((one) => [`${one.type} ${one.score}`, one]));
  return [...seen.values()];
}
