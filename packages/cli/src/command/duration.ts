const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** Reads a length of time in seconds; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?[smhdw])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([smhdw])/g)) {
    seconds += Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  }
  return Math.round(seconds);
}
