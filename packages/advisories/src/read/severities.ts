import { create } from "@bufbuild/protobuf";
import {
  type Severity,
  Severity_Type,
  SeveritySchema,
  type Vulnerability,
} from "@wharf/contract/messages";
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

/** The types of CycloneDX ratings, and the prefix of their vectors, which some tools omit. */
const METHODS: ReadonlyMap<string, readonly [kind: string, prefix: string]> = new Map([
  ["CVSSv2", ["CVSS_V2", ""]],
  ["CVSSv3", ["CVSS_V3", "CVSS:3.0/"]],
  ["CVSSv31", ["CVSS_V3", "CVSS:3.1/"]],
  ["CVSSv4", ["CVSS_V4", "CVSS:4.0/"]],
]);

/**
 * The severities of CycloneDX ratings. Ratings by other methods, and those without a vector, are omitted.
 *
 * @example cycloneDxSeverities(node.field("ratings"))
 */
export function cycloneDxSeverities(node: DocumentNode): Severity[] {
  return node.items("severities").flatMap((one) => {
    if (!one.requireObject()) return [];
    const [name, prefix] = METHODS.get(one.field("method").optionalString()) ?? [];
    const kind = name === undefined ? undefined : KINDS.get(name);
    const vector = one.field("vector").optionalString();
    if (kind === undefined || vector === "") return [];
    const score = vector.startsWith("CVSS:") ? vector : `${prefix}${vector}`;
    if (kind.vector.test(score)) return [create(SeveritySchema, { type: kind.type, score })];
    one.field("vector").addProblem(`must be a CVSS vector of its method, not ${quoted(vector)}`);
    return [];
  });
}

/** Removes duplicates. */
export function distinct(severities: readonly Severity[]): Severity[] {
  return [...new Map(severities.map((one) => [`${one.type} ${one.score}`, one])).values()];
}

/**
 * Merges entries of one vulnerability: documents may list it several times, for different products.
 *
 * @example mergeById(vulnerabilities)
 */
export function mergeById(all: readonly Vulnerability[]): Vulnerability[] {
  return [...Map.groupBy(all, ({ id }) => id).values()].map((same) => ({
    ...(same[0] as Vulnerability),
    aliases: [...new Set(same.flatMap(({ aliases }) => aliases))],
    severities: distinct(same.flatMap(({ severities }) => severities)),
  }));
}
