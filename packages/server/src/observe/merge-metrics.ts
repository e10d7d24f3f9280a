/**
 * Merges the metrics of several processes in the text format of Prometheus: counters and histograms are added up;
 * gauges, which have no meaning as a sum, get the label `worker`.
 */
export function mergeMetrics(reports: Iterable<readonly [worker: string, text: string]>): string {
  const families = new Map<string, Family>();
  for (const [worker, text] of reports) {
    let family: Family | undefined;
    for (const line of text.split("\n")) {
      const [, keyword, name = ""] = COMMENT.exec(line) ?? [];
      if (keyword !== undefined) {
        family = families.get(name) ?? { comments: [], isAdded: false, samples: new Map() };
        families.set(name, family);
        if (!family.comments.includes(line)) family.comments.push(line);
        if (keyword === "TYPE") family.isAdded = ADDED.test(line);
      } else if (family !== undefined && line !== "") addSample(family, worker, line);
    }
  }
  return [...families.values()].map(textOf).join("\n");
}

/** Metrics of a process that has ended, without gauges: counters never decrease. */
export function withoutGauges(text: string): string {
  const output: string[] = [];
  let isKept = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("# TYPE ")) isKept = ADDED.test(line);
    if (isKept) output.push(line);
  }
  return output.join("\n");
}

interface Family {
  /** HELP and TYPE. */
  readonly comments: string[];
  isAdded: boolean;
  /** Values by series: the name with its labels. */
  readonly samples: Map<string, number>;
}

const COMMENT = /^# (HELP|TYPE) (\S+)/;
const ADDED = / (counter|histogram)$/;

function addSample({ isAdded, samples }: Family, worker: string, line: string): void {
  // A label may contain spaces; a value does not.
  const end = line.lastIndexOf(" ");
  const series = line.slice(0, end);
  const value = numberOf(line.slice(end + 1));
  if (isAdded) samples.set(series, (samples.get(series) ?? 0) + value);
  else samples.set(withWorker(series, worker), value);
}

function withWorker(series: string, worker: string): string {
  const label = `worker="${worker}"`;
  const at = series.indexOf("{");
  return at < 0 ? `${series}{${label}}` : `${series.slice(0, at)}{${label},${series.slice(at + 1)}`;
}

function textOf({ comments, samples }: Family): string {
  const lines = Array.from(samples, ([series, value]) => `${series} ${shown(value)}`);
  return `${[...comments, ...lines].join("\n")}\n`;
}

function numberOf(text: string): number {
  return Number(text.replace("Inf", "Infinity"));
}

function shown(value: number): string {
  if (Number.isNaN(value)) return "Nan";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
