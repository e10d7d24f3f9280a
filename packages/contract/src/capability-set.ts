/** Capability sets as bit sets: every request checks them. */
import { ALL_CAPABILITIES, type Capability, capabilityBit } from "./capabilities.ts";

/** 256 bits; the highest of the public contract is 221, and our own go down from 255. */
const WORDS = 8;

/** The minimum bit length in tokens. */
const MIN_ENCODED_BITS = 50;

/** Bits by enum number: a check takes two array reads. Bit 0 is never assigned. */
const BIT_OF = new Uint8Array(Math.max(...ALL_CAPABILITIES) + 1);
for (const capability of ALL_CAPABILITIES) BIT_OF[capability] = capabilityBit(capability);

/** All assigned bits; others are dropped when a token is decoded. */
const KNOWN = wordsOf(ALL_CAPABILITIES);

function wordsOf(capabilities: Iterable<Capability>): Uint32Array {
  const words = new Uint32Array(WORDS);
  for (const capability of capabilities) {
    const bit = BIT_OF[capability] ?? 0;
    if (bit !== 0) words[bit >>> 5] = (words[bit >>> 5] as number) | (1 << (bit & 31));
  }
  return words;
}

function combine(a: Uint32Array, b: Uint32Array, op: (x: number, y: number) => number) {
  return a.map((word, i) => op(word, b[i] as number));
}

export class CapabilitySet {
  /** The empty set. */
  static readonly EMPTY: CapabilitySet = new CapabilitySet(new Uint32Array(WORDS));

  readonly #words: Uint32Array;

  private constructor(words: Uint32Array) {
    this.#words = words;
  }

  /**
   * A set of capabilities. Unknown numbers are ignored.
   *
   * @example CapabilitySet.of(Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST)
   */
  static of(...capabilities: readonly Capability[]): CapabilitySet {
    return new CapabilitySet(wordsOf(capabilities));
  }

  /** @example if (!grants.has(Capability.CAP_REPO_LIST)) throw permissionDenied(…); */
  has(capability: Capability): boolean {
    const bit = BIT_OF[capability] as number;
    return (((this.#words[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1;
  }

  /** @example grants.hasAll([Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST]) */
  hasAll(others: CapabilitySet | readonly Capability[]): boolean {
    if (others instanceof CapabilitySet) {
      return others.#words.every((word, i) => (word & ~(this.#words[i] as number)) === 0);
    }
    for (const capability of others) if (!this.has(capability)) return false;
    return true;
  }

  /** @example inherited.union(own) */
  union(other: CapabilitySet): CapabilitySet {
    return new CapabilitySet(combine(this.#words, other.#words, (x, y) => x | y));
  }

  /** @example granted.intersect(CapabilitySet.decode(claim)) */
  intersect(other: CapabilitySet): CapabilitySet {
    return new CapabilitySet(combine(this.#words, other.#words, (x, y) => x & y));
  }

  /** @example wanted.minus(held).toArray() // what is missing */
  minus(other: CapabilitySet): CapabilitySet {
    return new CapabilitySet(combine(this.#words, other.#words, (x, y) => x & ~y));
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  get size(): number {
    return this.toArray().length;
  }

  /** By enum number. */
  toArray(): Capability[] {
    return ALL_CAPABILITIES.filter((capability) => this.has(capability));
  }

  /**
   * Encodes the set for the `cap` claim of a token: bit length and words, big-endian, as URL-safe base64 with
   * padding.
   *
   * @example CapabilitySet.of(Capability.CAP_IAM_GROUPS_LIST).encode() // "AAAAAAAAADIAAAAAAAAACA=="
   */
  encode(): string {
    const last = this.#words.findLastIndex((word) => word !== 0);
    const used = last < 0 ? 0 : last * 32 + 32 - Math.clz32(this.#words[last] as number);
    const bits = Math.max(MIN_ENCODED_BITS, used);
    const bytes = Buffer.alloc(8 + Math.ceil(bits / 64) * 8);
    bytes.writeUInt32BE(bits, 4);
    for (let at = 8, word = 0; at < bytes.length; at += 8, word += 2) {
      bytes.writeUInt32BE(this.#words[word + 1] as number, at);
      bytes.writeUInt32BE(this.#words[word] as number, at + 4);
    }
    return bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_");
  }

  /**
   * Decodes the result of {@link encode}, or the list of enum numbers in old tokens. Unknown bits and numbers are
   * ignored. Throws a RangeError if the claim is malformed.
   *
   * @example CapabilitySet.decode("AAAAAAAAADIAAAAAAAAACA==")
   */
  static decode(claim: string | readonly number[]): CapabilitySet {
    if (typeof claim !== "string") return CapabilitySet.of(...claim);
    const bytes = Buffer.from(claim, "base64url");
    const bits = bytes.length < 8 ? Number.NaN : Number(bytes.readBigUInt64BE(0));
    if (bytes.length !== 8 + Math.ceil(bits / 64) * 8) {
      throw new RangeError("not an encoded set of capabilities");
    }
    const words = new Uint32Array(WORDS);
    for (let at = 8, word = 0; at < bytes.length && word < WORDS; at += 8, word += 2) {
      words[word + 1] = bytes.readUInt32BE(at);
      words[word] = bytes.readUInt32BE(at + 4);
    }
    return new CapabilitySet(combine(words, KNOWN, (x, y) => x & y));
  }
}
