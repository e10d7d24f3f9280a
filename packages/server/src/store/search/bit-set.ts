/** A set of small integers, one bit each. It grows as they are added. */
export class BitSet {
  #words: Uint32Array;

  /** `size` is the expected number of bits. */
  constructor(size = 0) {
    this.#words = new Uint32Array((size + 31) >>> 5);
  }

  /** Thirty-two members each. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** The same, with room for all members below a number: for loops that add very many. */
  wordsUpTo(size: number): Uint32Array {
    this.#words = enlarged(this.#words, (size + 31) >>> 5);
    return this.#words;
  }

  has(member: number): boolean {
    return (((this.#words[member >>> 5] ?? 0) >>> (member & 31)) & 1) === 1;
  }

  add(member: number): void {
    this.#put(member, true);
  }

  delete(member: number): void {
    if (this.has(member)) this.#put(member, false);
  }

  #put(member: number, isMember: boolean): void {
    const at = member >>> 5;
    if (at >= this.#words.length) this.#words = enlarged(this.#words, at + 1);
    const bit = 1 << (member & 31);
    const word = this.#words[at] ?? 0;
    this.#words[at] = isMember ? word | bit : word & ~bit;
  }
}

type Numbers = Uint32Array | Float64Array;

/** The same numbers in an array that has room for at least this many: a copy of twice the length if it had none. */
export function enlarged<A extends Numbers>(array: A, length: number): A {
  if (length <= array.length) return array;
  const copy = new (array.constructor as new (length: number) => A)(
    Math.max(length, array.length * 2),
  );
  copy.set(array);
  return copy;
}
