import type { BitSet } from "./bit-set.ts";

/** Words that are kept as one string. */
const CHUNK_SIZE = 1_024;

interface Chunk {
  readonly text: string;
  /** The end of each word in the text. */
  readonly ends: Uint32Array;
}

/**
 * Words by number, searched for substrings. A thousand words are one string: searching a long string takes
 * a fraction of the time, and of the memory, of searching short ones.
 */
export class Words {
  readonly #chunks: Chunk[] = [];
  #tail: string[] = [];

  get size(): number {
    return this.#chunks.length * CHUNK_SIZE + this.#tail.length;
  }

  /** Adds a word and returns its number. */
  add(word: string): number {
    const number = this.size;
    this.#tail.push(word);
    if (this.#tail.length === CHUNK_SIZE) {
      this.#chunks.push(chunkOf(this.#tail));
      this.#tail = [];
    }
    return number;
  }

  at(number: number): string {
    const chunk = this.#chunks[Math.floor(number / CHUNK_SIZE)];
    const at = number % CHUNK_SIZE;
    if (chunk === undefined) return this.#tail[at] ?? "";
    return chunk.text.slice(at === 0 ? 0 : chunk.ends[at - 1], chunk.ends[at]);
  }

  /**
   * Adds the numbers of the words that contain a text to a set, from a number on: a chunk at each step. Words that are
   * added between two steps are searched, too.
   */
  *find(text: string, from: number, found: BitSet): Iterable<void> {
    for (let chunk = Math.floor(from / CHUNK_SIZE); chunk < this.#chunks.length; chunk++) {
      findIn(this.#chunks[chunk] as Chunk, text, chunk * CHUNK_SIZE, found);
      yield;
    }
    const first = this.#chunks.length * CHUNK_SIZE;
    for (let number = Math.max(from, first); number < this.size; number++) {
      if (this.#tail[number - first]?.includes(text)) found.add(number);
    }
  }
}

function chunkOf(words: readonly string[]): Chunk {
  let end = 0;
  const ends = Uint32Array.from(words, ({ length }) => {
    end += length;
    return end;
  });
  return { text: words.join(""), ends };
}

function findIn({ text: all, ends }: Chunk, text: string, first: number, found: BitSet): void {
  const bits = found.wordsUpTo(first + ends.length);
  let word = 0;
  let from = 0;
  while (word < ends.length) {
    const at = all.indexOf(text, from);
    if (at < 0) return;
    while (word < ends.length && (ends[word] as number) <= at) word++;
    const end = ends[word] ?? 0;
    // A text that begins in one word and ends in another is in neither.
    if (at + text.length > end) from = at + 1;
    else {
      const number = first + word;
      bits[number >>> 5] = (bits[number >>> 5] as number) | (1 << (number & 31));
      from = end;
      word++;
    }
  }
}
