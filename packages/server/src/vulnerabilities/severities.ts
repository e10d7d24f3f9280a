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
import type { Reader } from "../store/connection.ts";
import type { Transaction } from "../store/group-commit.ts";
import { indexable } from "../store/indexable.ts";
import {
  type NamedVulnerability,
  putVulnerability,
  type StoredVulnerability,
  vulnerabilitiesNamed,
} from "../store/vulnerabilities.ts";

/**
 * Keeps what is known of a vulnerability for a group and all below it, unless more is known already.
 * Returns whether that changed anything.
 *
 * @example const changed = await saveVulnerability(change.tx, group, vulnerability);
 */
export function saveVulnerability(
  tx: Transaction,
  group: string,
  vulnerability: Vulnerability,
): Promise<boolean> {
  const { id, aliases } = vulnerability;
  return putVulnerability(tx, vulnerabilityRow(group, vulnerability), [id, ...aliases]);
}

/** A vulnerability as it is stored for a group. */
export function vulnerabilityRow(place: string, vulnerability: Vulnerability): StoredVulnerability {
  const { id, updateTime } = vulnerability;
  const updated = updateTime === undefined ? 0 : timestampMs(updateTime);
  return { place, id, updated, data: toBinary(VulnerabilitySchema, vulnerability) };
}

/**
 * Fills in the severities of advisories: each once, as known for their aliases. The word of the
 * nearest group counts.
 *
 * @example await addSeverities(reader, page);
 */
export async function addSeverities(reader: Reader, all: readonly Advisory[]): Promise<void> {
  const names = [...new Set(all.flatMap(({ aliases }) => aliases))];
  if (names.length === 0) return;
  const places = [...new Set(all.flatMap(placesOf))];
  const known = new Map<string, NamedVulnerability[]>();
  for (const one of await vulnerabilitiesNamed(reader, places, names)) {
    const same = known.get(one.name);
    if (same === undefined) known.set(one.name, [one]);
    else same.push(one);
  }
  if (known.size === 0) return;
  for (const advisory of all) {
    const nearest = nearestOf(advisory, known);
    advisory.severities = distinct(nearest.flatMap((one) => severitiesOf(one)));
  }
}

/** The group of an advisory and all above it, nearest first. */
function placesOf({ uid }: Advisory): string[] {
  const group = parentOf(uid);
  return [group, ...ancestorsOf(group)];
}

function nearestOf(
  advisory: Advisory,
  known: ReadonlyMap<string, readonly NamedVulnerability[]>,
): NamedVulnerability[] {
  const places = placesOf(advisory);
  const chosen = new Map<string, NamedVulnerability>();
  for (const one of advisory.aliases.flatMap((alias) => known.get(indexable(alias)) ?? [])) {
    const distance = places.indexOf(one.place);
    const before = chosen.get(one.id);
    if (distance < 0) continue;
    if (before === undefined || distance < places.indexOf(before.place)) chosen.set(one.id, one);
  }
  return [...chosen.values()];
}

function severitiesOf({ data }: NamedVulnerability): Severity[] {
  return fromBinary(VulnerabilitySchema, data).severities;
}

function distinct(severities: readonly Severity[]): Severity[] {
  const seen = new Map(severities.map((one) => [`${one.type} ${one.score}`, one]));
  return [...seen.values()];
}
