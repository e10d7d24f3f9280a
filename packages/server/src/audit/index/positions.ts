import { SEGMENT_SIZE } from "../../store/tables/audit/audit-index.ts";

/** Positions within a segment, one bit each. */
export type Positions = Uint32Array;

const WORDS = SEGMENT_SIZE / 32;

/** Marks the encoding of many positions as bits. */
const BITS_PREFIX = "=";

/** Up to this many positions, a list is shorter than the bits. */
const MAX_LISTED = 48;

export function noPositions(): Positions {
  return new Uint32Array(WORDS);
}

export function addPosition(positions: Positions, at: number): void {
  positions[at >>> 5] = (positions[at >>> 5] as number) | (1 << (at & 31));
}

export function hasPosition(positions: Positions, at: number): boolean {
  return (((positions[at >>> 5] as number) >>> (at & 31)) & 1) === 1;
}

/** Adds the positions of another set. */
export function unite(positions: Positions, other: Positions): void {
  for (let word = 0; word < WORDS; word++) {
    positions[word] = (positions[word] as number) | (other[word] as number);
  }
}

/** Keeps only the positions of another set, or only those that it lacks. */
export function restrict(positions: Positions, other: Positions, negated: boolean): void {
  for (let word = 0; word < WORDS; word++) {
    const mask = other[word] as number;
    positions[word] = (positions[word] as number) & (negated ? ~mask : mask);
  }
}

export function countPositions(positions: Positions): number {
  let count = 0;
  for (let word = 0; word < WORDS; word++) count += bitsIn(positions[word] as number);
  return count;
}

/** The set bits of a word, added up in parallel: pairs, nibbles, bytes. */
function bitsIn(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  sums = (sums + (sums >>> 4)) & 0x0f0f0f0f;
  return Math.imul(sums, 0x01010101) >>> 24;
}

/** The positions in ascending order. */
export function listPositions(positions: Positions): number[] {
  const list: number[] = [];
  for (let at = 0; at < SEGMENT_SIZE; at++) {
    if (positions[at >>> 5] === 0) at |= 31;
    else if (hasPosition(positions, at)) list.push(at);
  }
  return list;
}

export function encodePositions(positions: Positions): string {
  return encodeList(listPositions(positions));
}

/** Ascending positions as text: a list of numbers if they are few, else the bits. */
export function encodeList(list: readonly number[]): string {
  if (list.length <= MAX_LISTED) return list.map((at) => at.toString(36)).join(" ");
  const positions = noPositions();
  for (const at of list) addPosition(positions, at);
  const bytes = Buffer.alloc(WORDS * 4);
  for (let word = 0; word < WORDS; word++) bytes.writeUInt32LE(positions[word] as number, word * 4);
  return BITS_PREFIX + bytes.toString("base64");
}

export function decodePositions(text: string): Positions {
  const positions = noPositions();
  if (text.startsWith(BITS_PREFIX)) {
    const bytes = Buffer.from(text.slice(BITS_PREFIX.length), "base64");
    for (let word = 0; word < WORDS; word++) positions[word] = bytes.readUInt32LE(word * 4);
  } else if (text !== "") {
    for (const at of text.split(" ")) addPosition(positions, Number.parseInt(at, 36));
  }
  return positions;
}
