/** The results of lists of findings, computed slowly from all findings. */

// biome-ignore lint/suspicious/noExplicitAny: messages of the API, over either protocol.
export type ListedFinding = any;

export const OPEN = ["FINDING_STATUS_AFFECTED", "FINDING_STATUS_UNKNOWN"];

const SEVERITIES = [
  "FINDING_SEVERITY_UNSPECIFIED",
  "FINDING_SEVERITY_NEGLIGIBLE",
  "FINDING_SEVERITY_LOW",
  "FINDING_SEVERITY_MEDIUM",
  "FINDING_SEVERITY_HIGH",
  "FINDING_SEVERITY_CRITICAL",
];

export function severityOf({ severity }: ListedFinding): number {
  return SEVERITIES.indexOf(severity);
}

export function namesOf(one: ListedFinding): string[] {
  return [one.vulnerability, ...one.aliases];
}

export function isFixable(one: ListedFinding): boolean {
  return one.fixedVersions.length > 0;
}

export function timeOf(text: string | null | undefined): number {
  return text === null || text === undefined ? 0 : Date.parse(text);
}

/** One finding in words, which no other has. */
export function keyOf(one: ListedFinding): string {
  return [one.repoUid, one.digest, one.vulnerability, one.package.purl].join(" ");
}

function imageOf({ repoUid, digest }: ListedFinding): string {
  return `${repoUid} ${digest}`;
}

function countOf(values: readonly string[]): string {
  return String(new Set(values).size);
}

function worst(some: readonly ListedFinding[]): number {
  return Math.max(...some.map(severityOf));
}

/** Findings counted by vulnerability, by name. */
export function vulnerabilitiesOf(findings: readonly ListedFinding[]): object[] {
  return [...Map.groupBy(findings, ({ vulnerability }) => vulnerability)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([vulnerability, some]) => ({
      vulnerability,
      severity: SEVERITIES[worst(some)],
      images: countOf(some.map(imageOf)),
      imagesInUse: countOf(some.filter(({ inUse }) => inUse).map(imageOf)),
      repos: countOf(some.map(({ repoUid }) => repoUid)),
      packages: [...new Set(some.map((one) => one.package.name))].sort().slice(0, 10),
      fixable: some.some(isFixable),
      firstSeen: Math.min(...some.map(({ firstSeen }) => timeOf(firstSeen))),
      knownExploited: some[0].knownExploited,
      exploitProbability: some[0].exploitProbability,
      aliases: [...new Set(some.flatMap(({ aliases }) => aliases))].sort(),
      summary: some[0].summary,
    }));
}

/** Findings with a fix counted by package, those with the most first. */
export function fixesOf(findings: readonly ListedFinding[]): object[] {
  const packageOf = ({ package: { ecosystem, name, origin } }: ListedFinding) =>
    `${ecosystem} ${origin || name}`;
  return [...Map.groupBy(findings.filter(isFixable), packageOf)]
    .map(([key, some]) => {
      const severities = new Map<string, number>();
      for (const one of some) {
        const before = severities.get(one.vulnerability) ?? 0;
        severities.set(one.vulnerability, Math.max(before, severityOf(one)));
      }
      const names = [...severities].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
      const [ecosystem = "", name = ""] = key.split(" ");
      const firsts = some.map((one) => one.fixedVersions[0] as string);
      return {
        ...{ ecosystem, package: name },
        version: firsts.sort(byNumbers).at(-1),
        findings: String(some.length),
        images: countOf(some.map(imageOf)),
        severity: SEVERITIES[worst(some)],
        vulnerabilities: names.slice(0, 20).map(([one]) => one),
      };
    })
    .sort(
      (a, b) =>
        Number(b.findings) - Number(a.findings) ||
        (a.ecosystem + a.package < b.ecosystem + b.package ? -1 : 1),
    );
}

function byNumbers(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** Open findings by severity, as the overview has them. */
export function severitiesOf(findings: readonly ListedFinding[]): object[] {
  return [...Map.groupBy(findings, severityOf)]
    .sort(([a], [b]) => a - b)
    .map(([severity, some]) => ({
      severity: SEVERITIES[severity],
      open: String(some.length),
      fixable: String(some.filter(isFixable).length),
      vulnerabilities: countOf(some.map(({ vulnerability }) => vulnerability)),
    }));
}

const DAY_MS = 24 * 3_600_000;

/** Findings that were open at the end of each of the last days, with those found and resolved on it. */
export function daysOf(findings: readonly ListedFinding[], days: number, now: number): object[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: days }, (_, at) => {
    const start = (today - days + 1 + at) * DAY_MS;
    const end = start + DAY_MS;
    const isOn = (time: number) => time >= start && time < end;
    const open = findings.filter(({ firstSeen, resolveTime }) => {
      const [first, last] = [timeOf(firstSeen), timeOf(resolveTime)];
      return first < end && (last === 0 || last >= end);
    });
    return {
      date: new Date(start).toISOString().slice(0, 10),
      open: severitiesOf(open).map((one) => {
        const { severity, open: count } = one as { severity: string; open: string };
        return [severity, count];
      }),
      found: String(findings.filter(({ firstSeen }) => isOn(timeOf(firstSeen))).length),
      resolved: String(findings.filter((one) => isOn(timeOf(one.resolveTime))).length),
    };
  });
}
