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
} from "../../store/tables/vulnerabilities.ts";

/** A vulnerability as it is stored for a group. */
export function vulnerabilityRow(place: string, vulnerability: Vulnerability): StoredVulnerability {
  const { id, updateTime } = vulnerability;
  const updated = updateTime === undefined ? 0 : timestampMs(updateTime);
  return { place, id, updated, data: toBinary(VulnerabilitySchema, vulnerability) };
}

/** What of an advisory decides on its severities. */
export type Rated = Pick<Advisory, "uid" | "aliases" | "severities">;

/**
 * Fills in the severities of advisories: each once, as known for their aliases. The word of the
 * nearest group counts.
 */
export async function addSeverities(reader: Reader, all: readonly Rated[]): Promise<void> {
  const names = [...new Set(all.flatMap(({ aliases }) => aliases))];
  if (names.length === 0) return;
  const places = [...new Set(all.flatMap(placesOf))];
  const found = (await vulnerabilitiesNamed(reader, places, names)).map(rating);
  if (found.length === 0) return;
  const known = Map.groupBy(found, ({ name }) => name);
  for (const advisory of all) {
    const nearest = nearestOf(advisory, known);
    advisory.severities = distinct(nearest.flatMap(({ severities }) => severities));
  }
}

/** A vulnerability under one of its names, read once for all advisories that have it as an alias. */
interface Rating extends Omit<NamedVulnerability, "data"> {
  readonly severities: readonly Severity[];
}

function rating({ name, place, id, data }: NamedVulnerability): Rating {
  return { name, place, id, severities: fromBinary(VulnerabilitySchema, data).severities };
}

/** The group of an advisory and all above it, nearest first. */
function placesOf({ uid }: Rated): string[] {
  const group = parentOf(uid);
  return [group, ...ancestorsOf(group)];
}

function nearestOf(advisory: Rated, known: ReadonlyMap<string, readonly Rating[]>): Rating[] {
  const places = placesOf(advisory);
  const chosen = new Map<string, Rating>();
  for (const one of advisory.aliases.flatMap((alias) => known.get(indexable(alias)) ?? [])) {
    const distance = places.indexOf(one.place);
    const before = chosen.get(one.id);
    if (distance < 0) continue;
    if (before === undefined || distance < places.indexOf(before.place)) chosen.set(one.id, one);
  }
  return [...chosen.values()];
}

function distinct(severities: readonly Severity[]): Severity[] {
  const seen = new Map(severities.map((one) => [`${one.type} ${one.score}`, one]));
  return [...seen.values()];
}
