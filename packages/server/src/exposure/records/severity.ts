import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { baseScore, severityOf } from "@wharf/advisories/base-score";
import { FindingSeverity, type Severity, Severity_Type } from "@wharf/contract";
import calculator from "ae-cvss-calculator";
import { objectsIn } from "../../lib/json-values.ts";

/** A severity with its basis. */
export interface Rating {
  readonly severity: FindingSeverity;
  /** A vector or a number of CVSS, or a word of the publisher. */
  readonly score: string;
}

const UNKNOWN: Rating = { severity: FindingSeverity.UNSPECIFIED, score: "" };

/** The words of publishers, in lower case. */
const WORDS: Readonly<Record<string, FindingSeverity>> = {
  none: FindingSeverity.NEGLIGIBLE,
  negligible: FindingSeverity.NEGLIGIBLE,
  unimportant: FindingSeverity.NEGLIGIBLE,
  untriaged: FindingSeverity.UNSPECIFIED,
  low: FindingSeverity.LOW,
  minor: FindingSeverity.LOW,
  medium: FindingSeverity.MEDIUM,
  moderate: FindingSeverity.MEDIUM,
  important: FindingSeverity.HIGH,
  high: FindingSeverity.HIGH,
  critical: FindingSeverity.CRITICAL,
};

/** Members of records in which publishers have a word. */
const MEMBERS = ["severity", "urgency"];

/** CVSS versions, the preferred ones first. */
const VERSIONS = ["CVSS_V4", "CVSS_V3", "CVSS_V2"];

const TYPES: Readonly<Record<Severity_Type, string>> = {
  [Severity_Type.UNSPECIFIED]: "",
  [Severity_Type.CVSS_V2]: "CVSS_V2",
  [Severity_Type.CVSS_V3]: "CVSS_V3",
  [Severity_Type.CVSS_V4]: "CVSS_V4",
};

/**
 * The severity of a record in a package. A distribution rates its builds, so its word precedes scores, which are those of
 * the software in general; elsewhere scores are more precise. Other sources' scores come last.
 */
export function rate(
  record: JsonObject,
  entries: readonly JsonObject[],
  others: readonly Severity[],
  isDistribution: boolean,
): Rating {
  const holders = [...entries, record];
  const words = () => holders.map(wordIn).find(isKnown);
  const scores = () => holders.map(({ severity }) => highest(scoresIn(severity))).find(isKnown);
  const ofOthers = () => highest(others.map(({ type, score }) => [TYPES[type], score] as const));
  const [first, second] = isDistribution ? [words, scores] : [scores, words];
  return first() ?? second() ?? ofOthers();
}

function isKnown({ severity }: Rating): boolean {
  return severity > FindingSeverity.UNSPECIFIED;
}

/** The word of a publisher: Ubuntu's are among the scores, those of others in members of their own. */
function wordIn(holder: JsonObject): Rating {
  const own = scoresIn(holder.severity).filter(([type]) => !VERSIONS.includes(type));
  const specifics = [holder.ecosystem_specific, holder.database_specific];
  const members = objectsIn(specifics).flatMap((one) => MEMBERS.map((member) => one[member]));
  const texts = [...own.map(([, score]) => score), ...members];
  return texts.map(ratingOfWord).find(isKnown) ?? UNKNOWN;
}

function ratingOfWord(text: unknown): Rating {
  const severity = typeof text === "string" ? WORDS[text.toLowerCase()] : undefined;
  return severity === undefined ? UNKNOWN : { severity, score: text as string };
}

function scoresIn(list: JsonValue | undefined): (readonly [type: string, score: string])[] {
  return objectsIn(list).flatMap(({ type, score }) => {
    return typeof type === "string" && typeof score === "string" ? [[type, score] as const] : [];
  });
}

/** The highest score of the preferred version. */
function highest(scores: readonly (readonly [type: string, score: string])[]): Rating {
  for (const version of VERSIONS) {
    const found = scores.filter(([type]) => type === version).map(([, score]) => score);
    const rated = found.flatMap((score) => {
      const value = scoreOf(score);
      return value === undefined ? [] : [{ value, score }];
    });
    const [first, ...rest] = rated;
    if (first === undefined) continue;
    const most = rest.reduce((a, b) => (b.value > a.value ? b : a), first);
    return { severity: SEVERITY_OF[severityOf(most.value)], score: most.score };
  }
  return UNKNOWN;
}

const SEVERITY_OF = {
  NONE: FindingSeverity.NEGLIGIBLE,
  LOW: FindingSeverity.LOW,
  MEDIUM: FindingSeverity.MEDIUM,
  HIGH: FindingSeverity.HIGH,
  CRITICAL: FindingSeverity.CRITICAL,
} as const;

/** The base score of a vector of any version, or the number that stands in its place; undefined if it is neither. */
export function scoreOf(text: string): number | undefined {
  if (/^\d{1,2}(?:\.\d+)?$/.test(text)) return Number(text) <= 10 ? Number(text) : undefined;
  const ofVersion3 = baseScore(text);
  if (ofVersion3 !== undefined) return ofVersion3.score;
  if (text.length > MAX_VECTOR_LENGTH || text.startsWith("CVSS:3")) return undefined;
  try {
    const vector = text.startsWith("CVSS:4.0/")
      ? new calculator.Cvss4P0(text)
      : new calculator.Cvss2(text);
    return vector.isBaseFullyDefined() ? vector.calculateScores().base : undefined;
  } catch {
    return undefined;
  }
}

const MAX_VECTOR_LENGTH = 500;
