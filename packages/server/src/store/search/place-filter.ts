import { ancestorsOf } from "@wharf/contract";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Range } from "../resources/query.ts";
import { NOWHERE, type Place } from "./indexed-rows.ts";

/** Ranges, or places, that are looked at between two points where other tasks may run. */
const PER_STEP = 256;

/** The parents of the rows of some ranges, within a partition. */
interface Scopes {
  everything: boolean;
  readonly parents: Set<string>;
  readonly tops: Set<string>;
}

/** Which places are in one of some ranges. Places are only added, so each is tested once. */
export class PlaceFilter {
  readonly #byPartition = new Map<number | undefined, Scopes>();
  #flags = new Uint8Array(0);

  static async of(ranges: readonly Range[], task: SlicedTask): Promise<PlaceFilter> {
    const filter = new PlaceFilter();
    for (let at = 0; at < ranges.length; at += PER_STEP) {
      for (const range of ranges.slice(at, at + PER_STEP)) filter.#add(range);
      await task.pause();
    }
    return filter;
  }

  /** By the number of a place, 1 if it is in a range and 0 if not. */
  async flags(places: readonly Place[], task: SlicedTask): Promise<Uint8Array> {
    const from = this.#flags.length;
    if (from === places.length) return this.#flags;
    const flags = new Uint8Array(places.length);
    flags.set(this.#flags);
    for (let number = from; number < places.length; number++) {
      flags[number] = number !== NOWHERE && this.#has(places[number] as Place) ? 1 : 0;
      if (number % PER_STEP === 0) await task.pause();
    }
    this.#flags = flags;
    return flags;
  }

  #add(range: Range): void {
    for (const partition of range.partitions ?? [undefined]) {
      const scopes = this.#byPartition.get(partition) ?? {
        everything: false,
        parents: new Set(),
        tops: new Set(),
      };
      this.#byPartition.set(partition, scopes);
      if ("everything" in range) scopes.everything = true;
      if ("childrenOf" in range) scopes.parents.add(range.childrenOf);
      if ("below" in range) scopes.tops.add(range.below);
    }
  }

  #has({ parent, partition }: Place): boolean {
    const own = [this.#byPartition.get(partition), this.#byPartition.get(undefined)];
    return own.some((scopes) => scopes !== undefined && isIn(parent, scopes));
  }
}

function isIn(parent: string, { everything, parents, tops }: Scopes): boolean {
  if (everything || parents.has(parent) || tops.has(parent)) return true;
  return tops.size > 0 && ancestorsOf(parent).some((above) => tops.has(above));
}

/** A key of ranges, of which there may be thousands. */
export async function rangesKey(ranges: readonly Range[], task: SlicedTask): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < ranges.length; at += PER_STEP) {
    parts.push(JSON.stringify(ranges.slice(at, at + PER_STEP)));
    await task.pause();
  }
  return parts.join("");
}
