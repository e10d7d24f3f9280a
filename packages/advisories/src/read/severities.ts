import { create } from "@bufbuild/protobuf";
import { type Severity, Severity_Type, SeveritySchema } from "@wharf/contract/messages";
import { type At, quoted } from "./at.ts";

interface Kind {
  readonly type: Severity_Type;
  readonly vector: RegExp;
}

/** Whatever it is tried on, there is one way for each to match: others would take forever to rule out. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["CVSS_V2", { type: Severity_Type.CVSS_V2, vector: /^(?:[A-Z][A-Za-z]*:[A-Z]+(?:\/|$))+$/ }],
  ["CVSS_V3", { type: Severity_Type.CVSS_V3, vector: /^CVSS:3\.[01](?:\/[A-Z]+:[A-Z])+$/ }],
  ["CVSS_V4", { type: Severity_Type.CVSS_V4, vector: /^CVSS:4\.0(?:\/[A-Z]+:[A-Z][A-Za-z]*)+$/ }],
]);

const NUMBER = /^(?:10(?:\.0)?|\d(?:\.\d)?)$/;
const MOST = 100;

/**
 * Severities as OSV has them. Scales that are none of CVSS say nothing that can be compared, so they
 * are left out.
 *
 * @example osvSeverities(at.field("severity"))
 */
export function osvSeverities(at: At): Severity[] {
  return at.items(MOST).flatMap((one) => {
    if (!one.mustBeObject()) return [];
    const kind = KINDS.get(one.field("type").word());
    return kind === undefined ? [] : (severityOf(one.field("score"), kind) ?? []);
  });
}

/**
 * The severity that a score of CSAF has.
 *
 * @example csafSeverity(at.field("cvss_v3"), "CVSS_V3")
 */
export function csafSeverity(score: At, name: "CVSS_V2" | "CVSS_V3"): Severity | undefined {
  if (!score.isThere) return undefined;
  return severityOf(score.field("vectorString"), KINDS.get(name) as Kind);
}

function severityOf(at: At, { type, vector }: Kind): Severity | undefined {
  const score = at.word();
  if (score === "") return undefined;
  if (vector.test(score) || NUMBER.test(score)) return create(SeveritySchema, { type, score });
  at.refuse(`must be a CVSS vector of its type, or a number, not ${quoted(score)}`);
  return undefined;
}

/** Each once, in the order in which they come. */
export function distinct(severities: readonly Severity[]): Severity[] {
  return [...new Map(severities.map((one) => [`${one.type} ${one.score}`, one])).values()];
}
