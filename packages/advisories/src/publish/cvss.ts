import { type Severity, Severity_Type } from "@wharf/contract/messages";

/** The metrics of a vector and their values. */
type Metrics = readonly (readonly [metric: string, values: string])[];

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

const V2 = alternatives([
  ["AV", "N|A|L"],
  ["AC", "L|M|H"],
  ["Au", "M|S|N"],
  ...["C", "I", "A"].map((metric) => [metric, "N|P|C"] as const),
  ["E", "U|POC|F|H|ND"],
  ["RL", "OF|TF|W|U|ND"],
  ["RC", "UC|UR|C|ND"],
  ["CDP", "N|L|LM|MH|H|ND"],
  ["TD", "N|L|M|H|ND"],
  ...["CR", "IR", "AR"].map((metric) => [metric, "L|M|H|ND"] as const),
]);

const V3 = alternatives(
  [...BASE_V3, ...OPTIONAL_V3].map(([metric, values]) => [metric, `[${values}]`]),
);

/** Version 4 has its metrics in a fixed order; the last ones are optional. */
const V4 = [
  "AV:[NALP]/AC:[LH]/AT:[NP]/PR:[NLH]/UI:[NPA]",
  ...["VC", "VI", "VA", "SC", "SI", "SA"].map((metric) => `/${metric}:[HLN]`),
  "(/E:[XAPU])?",
  ...["CR", "IR", "AR"].map((metric) => `(/${metric}:[XHML])?`),
  "(/MAV:[XNALP])?(/MAC:[XLH])?(/MAT:[XNP])?(/MPR:[XNLH])?(/MUI:[XNPA])?",
  ...["MVC", "MVI", "MVA", "MSC"].map((metric) => `(/${metric}:[XNLH])?`),
  ...["MSI", "MSA"].map((metric) => `(/${metric}:[XNLHS])?`),
  "(/S:[XNP])?(/AU:[XNY])?(/R:[XAUI])?(/V:[XDC])?(/RE:[XLMH])?(/U:(X|Clear|Green|Amber|Red))?",
].join("");

const VECTORS: Readonly<Record<Severity_Type, RegExp | undefined>> = {
  [Severity_Type.UNSPECIFIED]: undefined,
  [Severity_Type.CVSS_V2]: new RegExp(`^${V2}(/${V2})*$`),
  [Severity_Type.CVSS_V3]: new RegExp(`^CVSS:3[.][01](/${V3})+$`),
  [Severity_Type.CVSS_V4]: new RegExp(`^CVSS:4[.]0/${V4}$`),
};

function alternatives(metrics: Metrics): string {
  return `(${metrics.map(([metric, values]) => `${metric}:(${values})`).join("|")})`;
}

/**
 * Whether a severity is a vector of its CVSS version, and not only a number.
 *
 * @example isVector({ type: Severity_Type.CVSS_V3, score: "7.5" }) // false
 */
export function isVector({ type, score }: Pick<Severity, "type" | "score">): boolean {
  return VECTORS[type]?.test(score) === true;
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
  if (!isVector({ type: Severity_Type.CVSS_V3, score: vector })) return undefined;
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

function severityOf(score: number): BaseScore["severity"] {
  if (score === 0) return "NONE";
  if (score < 4) return "LOW";
  if (score < 7) return "MEDIUM";
  return score < 9 ? "HIGH" : "CRITICAL";
}
