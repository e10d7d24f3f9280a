import { type Severity, Severity_Type } from "@wharf/contract/messages";
import { alternatives, VECTOR_V3 } from "./base-score.ts";

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
  [Severity_Type.CVSS_V3]: VECTOR_V3,
  [Severity_Type.CVSS_V4]: new RegExp(`^CVSS:4[.]0/${V4}$`),
};

/**
 * Whether a severity is a vector of its CVSS version, and not only a number.
 *
 * @example isVector({ type: Severity_Type.CVSS_V3, score: "7.5" }) // false
 */
export function isVector({ type, score }: Pick<Severity, "type" | "score">): boolean {
  return VECTORS[type]?.test(score) === true;
}
