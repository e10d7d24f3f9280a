/** A seeded source of random numbers: every run of a simulation has the same result. */
export interface Random {
  /** Uniform in [0, 1). */
  uniform(): number;
  exponential(mean: number): number;
}

/** The generator mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { uniform, exponential: (mean) => -mean * Math.log(1 - uniform()) };
}
