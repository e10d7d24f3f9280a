/** The metrics of a vector and their values. */
export type Metrics = readonly (readonly [metric: string, values: string])[];

const BASE_V3: Metrics = [
  ["AV", "NALP"],
  ["AC", "LH"],
  ["PR", "NLH"],
  ["UI", "NR"],
  ["S", "UC"],
  ["C", "NLH"],
  ["I", "NLH"],
  ["A", "NLH"],
];

const OPTIONAL_V3: Metrics = [
  ["E", "XUPFH"],
  ["RL", "XOTWU"],
  ["RC", "XURC"],
  ...["CR", "IR", "AR"].map((metric) => [metric, "XLMH"] as const),
  ["MAV", "XNALP"],
  ["MAC", "XLH"],
  ["MPR", "XNLH"],
  ["MUI", "XNR"],
  ["MS", "XUC"],
  ...["MC", "MI", "MA"].map((metric) => [metric, "XNLH"] as const),
];

const V3 = alternatives(
  [...BASE_V3, ...OPTIONAL_V3].map(([metric, values]) => [metric, `[${values}]`]),
);

/** A vector of CVSS 3. */
export const VECTOR_V3 = new RegExp(`^CVSS:3[.][01](/${V3})+$`);

/** A pattern for any metric with any of its values. */
export function alternatives(metrics: Metrics): string {
  return `(${metrics.map(([metric, values]) => `${metric}:(${values})`).join("|")})`;
}

/** The score of a CVSS 3 vector. */
export interface BaseScore {
  readonly version: "3.0" | "3.1";
  readonly score: number;
  readonly severity: "NONE" | "LOW" | "MEDIUM" | "HIGH" | "CRITICAL";
}

const WEIGHTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  impact: { H: 0.56, L: 0.22, N: 0 },
  PR: { N: 0.85, L: 0.62, H: 0.27 },
  /** With changed scope, required privileges reduce the score less. */
  changedPR: { N: 0.85, L: 0.68, H: 0.5 },
};

/**
 * The base score of a CVSS 3 vector, by the formula of the standard; undefined if it is not a vector, lacks a
 * base metric, or repeats one.
 *
 * @example baseScore("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H")?.score // 9.8
 */
export function baseScore(vector: string): BaseScore | undefined {
  if (!VECTOR_V3.test(vector)) return undefined;
  const [prefix = "", ...pairs] = vector.split("/");
  const values = new Map(pairs.map((pair) => pair.split(":") as [string, string]));
  if (values.size < pairs.length || BASE_V3.some(([metric]) => !values.has(metric)))
    return undefined;
  const weight = (metric: string, table = metric) =>
    WEIGHTS[table]?.[values.get(metric) ?? ""] ?? 0;
  const changed = values.get("S") === "C";
  const unimpaired = ["C", "I", "A"].reduce((left, m) => left * (1 - weight(m, "impact")), 1);
  const loss = 1 - unimpaired;
  const impact = changed ? 7.52 * (loss - 0.029) - 3.25 * (loss - 0.02) ** 15 : 6.42 * loss;
  const exploitability =
    8.22 * weight("AV") * weight("AC") * weight("PR", changed ? "changedPR" : "PR") * weight("UI");
  const sum = (changed ? 1.08 : 1) * (impact + exploitability);
  const score = impact <= 0 ? 0 : roundUp(Math.min(sum, 10));
  return { version: prefix === "CVSS:3.0" ? "3.0" : "3.1", score, severity: severityOf(score) };
}

/** Rounds up to one decimal; integer arithmetic as in appendix A of CVSS 3.1, equal on every machine. */
function roundUp(score: number): number {
  const exact = Math.round(score * 100_000);
  return exact % 10_000 === 0 ? exact / 100_000 : (Math.floor(exact / 10_000) + 1) / 10;
}

/**
 * The severity of a score, as CVSS 3 and 4 call it.
 *
 * @example severityOf(9.8) // "CRITICAL"
 */
export function severityOf(score: number): BaseScore["severity"] {
  if (score === 0) return "NONE";
  if (score < 4) return "LOW";
  if (score < 7) return "MEDIUM";
  return score < 9 ? "HIGH" : "CRITICAL";
}
