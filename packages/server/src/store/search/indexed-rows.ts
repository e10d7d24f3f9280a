import { parentOf } from "@wharf/contract";
import { type BitSet, enlarged } from "./bit-set.ts";
import { Slots } from "./slots.ts";
import { Words } from "./words.ts";

/** The rows of one partition that have the same parent. */
export interface Place {
  readonly parent: string;
  readonly partition: number;
  /** How many they are. */
  rows: number;
}

/** The place of slots without a row. */
export const NOWHERE = 0;

/** Hex digits of the last segment of a uid that one number holds. */
const HALF = 8;

/** The searched words of rows, and where rows are in the tree: about 30 bytes for each row, beside the words. */
export class IndexedRows {
  readonly slots = new Slots();
  readonly words = new Words();
  readonly places: Place[] = [{ parent: "", partition: -1, rows: 0 }];
  readonly #placeNumbers = new Map<string, number>();
  readonly #rowsIn = new Map<number, number>();
  #lastPlace = NOWHERE;
  #placeOf = new Uint32Array(0);
  #high = new Uint32Array(0);
  #low = new Uint32Array(0);
  /** Where the words of a row begin in `#lists`: their number, then the words. */
  #listOf = new Uint32Array(0);
  #lists = new Uint32Array(1);
  #listsEnd = 1;
  #unused = 0;

  /** The number of the place of each slot. */
  get placeOf(): Uint32Array {
    return this.#placeOf;
  }

  /** Numbers in the lists of words, and how many of them no row uses any more. */
  get listed(): { readonly all: number; readonly unused: number } {
    return { all: this.#listsEnd, unused: this.#unused };
  }

  /** The number of rows of a partition. */
  rowsIn(partition: number): number {
    return this.#rowsIn.get(partition) ?? 0;
  }

  /** Whether a row id has this uid. */
  has(id: number, uid: string): boolean {
    const slot = this.slots.find(id);
    return slot !== undefined && this.#placeOf[slot] !== NOWHERE && this.uidOf(slot) === uid;
  }

  /** Sets the uid and the partition of a row, and returns its slot. */
  put(id: number, uid: string, partition: number): number {
    const slot = this.slots.allocate(id);
    const { size } = this.slots;
    this.#placeOf = enlarged(this.#placeOf, size);
    this.#high = enlarged(this.#high, size);
    this.#low = enlarged(this.#low, size);
    this.#listOf = enlarged(this.#listOf, size);
    this.#move(slot, this.#placeNumber(parentOf(uid), partition));
    this.#high[slot] = Number.parseInt(uid.slice(-2 * HALF, -HALF), 16);
    this.#low[slot] = Number.parseInt(uid.slice(-HALF), 16);
    return slot;
  }

  remove(slot: number): void {
    this.#move(slot, NOWHERE);
    this.setWords(slot, []);
  }

  uidOf(slot: number): string {
    return `${this.#parentOf(slot)}/${hex(this.#high[slot] ?? 0)}${hex(this.#low[slot] ?? 0)}`;
  }

  /** Compares two rows by uid. Those with the same parent, as most neighbors are, need no strings. */
  compareUids(a: number, b: number): number {
    const [parentOfA, parentOfB] = [this.#parentOf(a), this.#parentOf(b)];
    if (parentOfA !== parentOfB) return this.uidOf(a) < this.uidOf(b) ? -1 : 1;
    const byHigh = (this.#high[a] ?? 0) - (this.#high[b] ?? 0);
    return byHigh || (this.#low[a] ?? 0) - (this.#low[b] ?? 0);
  }

  setWords(slot: number, words: ArrayLike<number>): void {
    const before = this.#listOf[slot] ?? 0;
    if (before !== 0) this.#unused += 1 + (this.#lists[before] ?? 0);
    this.#listOf[slot] = 0;
    if (words.length === 0) return;
    const at = this.#listsEnd;
    this.#listsEnd += 1 + words.length;
    this.#lists = enlarged(this.#lists, this.#listsEnd);
    this.#lists[at] = words.length;
    this.#lists.set(words, at + 1);
    this.#listOf[slot] = at;
  }

  wordsOf(slot: number): Uint32Array {
    const at = this.#listOf[slot] ?? 0;
    return this.#lists.subarray(at + 1, at + 1 + (this.#lists[at] ?? 0));
  }

  /** Adds the rows with a word of a set to another set, from one slot to before another. */
  addRowsWith(words: BitSet, from: number, to: number, rows: BitSet): void {
    const lists = this.#lists;
    const listOf = this.#listOf;
    const bits = words.words;
    const added = rows.wordsUpTo(to);
    for (let slot = from; slot < to; slot++) {
      const at = listOf[slot] as number;
      const end = at + (lists[at] as number);
      for (let next = at + 1; next <= end; next++) {
        const word = lists[next] as number;
        if ((((bits[word >>> 5] as number) >>> (word & 31)) & 1) === 0) continue;
        added[slot >>> 5] = (added[slot >>> 5] as number) | (1 << (slot & 31));
        break;
      }
    }
  }

  #parentOf(slot: number): string {
    return (this.places[this.#placeOf[slot] ?? NOWHERE] as Place).parent;
  }

  #move(slot: number, to: number): void {
    this.#count(this.#placeOf[slot] ?? NOWHERE, -1);
    this.#count(to, 1);
    this.#placeOf[slot] = to;
  }

  #count(number: number, more: number): void {
    const place = this.places[number] as Place;
    place.rows += more;
    this.#rowsIn.set(place.partition, this.rowsIn(place.partition) + more);
  }

  #placeNumber(parent: string, partition: number): number {
    // Most rows are in the place of the one before.
    const last = this.places[this.#lastPlace];
    if (last?.parent === parent && last.partition === partition) return this.#lastPlace;
    this.#lastPlace = this.#anyPlaceNumber(parent, partition);
    return this.#lastPlace;
  }

  #anyPlaceNumber(parent: string, partition: number): number {
    const key = `${partition} ${parent}`;
    const known = this.#placeNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.places.push({ parent, partition, rows: 0 }) - 1;
    this.#placeNumbers.set(key, number);
    return number;
  }
}

function hex(half: number): string {
  return half.toString(16).padStart(HALF, "0");
}
