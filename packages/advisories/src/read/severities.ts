import { create } from "@bufbuild/protobuf";
import { type Severity, Severity_Type, SeveritySchema } from "@wharf/contract/messages";
import { type DocumentNode, quoted } from "./document-node.ts";

interface Kind {
  readonly type: Severity_Type;
  readonly vector: RegExp;
}

/** Each pattern matches in one way only, so that it cannot backtrack exponentially. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["CVSS_V2", { type: Severity_Type.CVSS_V2, vector: /^(?:[A-Z][A-Za-z]*:[A-Z]+(?:\/|$))+$/ }],
  ["CVSS_V3", { type: Severity_Type.CVSS_V3, vector: /^CVSS:3\.[01](?:\/[A-Z]+:[A-Z])+$/ }],
  ["CVSS_V4", { type: Severity_Type.CVSS_V4, vector: /^CVSS:4\.0(?:\/[A-Z]+:[A-Z][A-Za-z]*)+$/ }],
]);

const NUMBER = /^(?:10(?:\.0)?|\d(?:\.\d)?)$/;

/**
 * The severities of OSV. Scales other than CVSS are omitted: they cannot be compared.
 *
 * @example osvSeverities(node.field("severity"))
 */
export function osvSeverities(node: DocumentNode): Severity[] {
  return node.items("severities").flatMap((one) => {
    if (!one.requireObject()) return [];
    const kind = KINDS.get(one.field("type").requiredString());
    return kind === undefined ? [] : (severityOf(one.field("score"), kind) ?? []);
  });
}

/**
 * The severity of a CSAF score.
 *
 * @example csafSeverity(node.field("cvss_v3"), "CVSS_V3")
 */
export function csafSeverity(
  score: DocumentNode,
  name: "CVSS_V2" | "CVSS_V3",
): Severity | undefined {
  if (!score.isPresent) return undefined;
  return severityOf(score.field("vectorString"), KINDS.get(name) as Kind);
}

function severityOf(node: DocumentNode, { type, vector }: Kind): Severity | undefined {
  const score = node.requiredString();
  if (score === "") return undefined;
  if (vector.test(score) || NUMBER.test(score)) return create(SeveritySchema, { type, score });
  node.addProblem(`must be a CVSS vector of its type, or a number, not ${quoted(score)}`);
  return undefined;
}

/** Removes duplicates. */
export function distinct(severities: readonly Severity[]): Severity[] {
  return [...new Map(severities.map((one) => [`${one.type} ${one.score}`, one])).values()];
}
