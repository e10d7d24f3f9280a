/** Calls of version 1 of one method by one caller. */
export interface V1Caller {
  readonly caller: string;
  readonly method: string;
  readonly calls: bigint;
}

const MAX_CALLERS = 100;

const SAMPLE = /^wharf_v1_calls_total\{(.*)\} ([0-9.e+]+)$/gm;

/** The callers of version 1 from the metrics of the whole server, which has them of all its processes. */
export function v1CallersOf(metrics: string): V1Caller[] {
  const found = new Map<string, { caller: string; method: string; calls: number }>();
  for (const [, labels = "", calls] of metrics.matchAll(SAMPLE)) {
    const [caller, method] = [labelOf(labels, "caller"), labelOf(labels, "method")];
    const key = `${caller} ${method}`;
    const sum = (found.get(key)?.calls ?? 0) + Number(calls);
    found.set(key, { caller, method, calls: sum });
  }
  return [...found.values()]
    .sort((a, b) => b.calls - a.calls)
    .slice(0, MAX_CALLERS)
    .map((one) => ({ ...one, calls: BigInt(Math.round(one.calls)) }));
}

function labelOf(labels: string, name: string): string {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
}
