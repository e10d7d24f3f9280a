import type { JsonObject } from "@bufbuild/protobuf";
import { type Advisory, Severity_Type } from "@wharf/contract/messages";
import type { Assessed } from "./all-clears.ts";
import type { Assessment, VexStatus } from "./assessment.ts";
import { baseScore } from "./base-score.ts";
import { type Product, productsOf } from "./csaf-products.ts";
import { isCve, vulnerabilityName } from "./names.ts";
import type { Publication } from "./publication.ts";
import { actionOf, fixOf, impactOf, NOT_AFFECTED, NOT_KNOWN } from "./sentences.ts";
import { rfc3339 } from "./times.ts";

/** The CSAF names of statuses, in order of precedence for contradictory advisories on a product. */
const STATUSES: readonly (readonly [VexStatus, string])[] = [
  ["affected", "known_affected"],
  ["under_investigation", "under_investigation"],
  ["fixed", "fixed"],
  ["not_affected", "known_not_affected"],
];

/** The system_name of advisory ids. */
export const OWN_SYSTEM = "Wharf advisory";

/** The first line of a note with the aliases of one of several advisories. */
export const KNOWN_AS = "Known as:";

/** The assessment of one product by an advisory. */
export interface Statement {
  readonly product: Product;
  readonly assessment: Assessment;
  readonly advisory: Advisory;
}

/** A vulnerability of a package, with the advisories about it and their statements. */
export interface VulnerabilityStatements {
  readonly name: string;
  readonly advisories: readonly Advisory[];
  readonly statements: readonly Statement[];
}

/**
 * Groups advisories of one package by vulnerability, with one statement for each product: CSAF forbids
 * contradictory documents.
 *
 * @example statementsByVulnerability(assessed, publication)[0]?.name // "CVE-2026-0001"
 */
export function statementsByVulnerability(
  assessed: readonly Assessed[],
  publication: Publication,
): VulnerabilityStatements[] {
  const named = Map.groupBy(assessed, ({ advisory }) => vulnerabilityName(advisory).name);
  return [...named]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, about]) => {
      const statements = statementsOf(about, publication);
      const used = new Set(statements.map(({ advisory }) => advisory));
      const advisories = new Set(about.map(({ advisory }) => advisory));
      return { name, advisories: [...advisories.intersection(used)], statements };
    });
}

/**
 * The CSAF vulnerability with the status of each product.
 *
 * @example vulnerability(groups).cve // "CVE-2026-0001"
 */
export function vulnerability({
  name,
  advisories,
  statements,
}: VulnerabilityStatements): JsonObject {
  const having = (status: VexStatus) =>
    statements.filter(({ assessment }) => assessment.status === status);
  const own = new Set(advisories.map(({ advisoryId }) => advisoryId));
  const all = new Set([name, ...advisories.flatMap((one) => vulnerabilityName(one).others)]);
  const ids = [...all].filter((id) => !(id === name && isCve(name))).map((id) => idOf(id, own));
  const status = STATUSES.map(([from, to]) => [to, productIds(having(from))] as const);
  const lists = {
    ids,
    flags: flags(having("not_affected")),
    remediations: [...having("affected"), ...having("fixed")].map(remediation),
    scores: scores(advisories, statements),
    threats: [...having("not_affected"), ...having("under_investigation")].map(impact),
  };
  return {
    ...(isCve(name) ? { cve: name } : {}),
    title: `${name} in ${advisories[0]?.artifactName}`,
    notes: notes(name, advisories, statements),
    product_status: Object.fromEntries(status.filter(([, products]) => products.length > 0)),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

function statementsOf(assessed: readonly Assessed[], publication: Publication): Statement[] {
  const rank = ({ assessment }: Statement) =>
    STATUSES.findIndex(([status]) => status === assessment.status);
  const chosen = new Map<string, Statement>();
  for (const one of assessed) {
    for (const product of productsOf(one, publication)) {
      const statement = { product, ...one };
      const before = chosen.get(product.id);
      if (before === undefined || rank(statement) < rank(before)) chosen.set(product.id, statement);
    }
  }
  return [...chosen.values()].sort((a, b) => (a.product.id < b.product.id ? -1 : 1));
}

function productIds(statements: readonly Statement[]): string[] {
  return statements.map(({ product }) => product.id);
}

function idOf(text: string, own: ReadonlySet<string>): JsonObject {
  const system = /^[A-Za-z]+(?=-)/.exec(text)?.[0] ?? "Other";
  return { system_name: own.has(text) ? OWN_SYSTEM : system, text };
}

function notes(
  name: string,
  advisories: readonly Advisory[],
  statements: readonly Statement[],
): JsonObject[] {
  const byAdvisory = new Map(
    statements.map(({ advisory, assessment }) => [advisory.advisoryId, assessment]),
  );
  return [
    { category: "description", text: `Status of ${name} in this package.` },
    ...[...byAdvisory].flatMap(([title, { note }]) =>
      note === "" || note === NOT_AFFECTED ? [] : [{ category: "details", title, text: note }],
    ),
    ...otherNames(advisories),
  ];
}

/** CSAF has one list of names per vulnerability: if aliases of advisories differ, each advisory has a note. */
function otherNames(advisories: readonly Advisory[]): JsonObject[] {
  const lists = advisories.map((one): [string, string] => {
    const { name, others } = vulnerabilityName(one);
    const names = [name, ...others].filter((alias) => alias !== one.advisoryId);
    return [one.advisoryId, names.join("\n")];
  });
  if (new Set(lists.map(([, names]) => names)).size < 2) return [];
  return lists.map(([title, names]) => ({
    category: "other",
    title,
    text: `${KNOWN_AS}\n${names}`.trimEnd(),
  }));
}

function flags(statements: readonly Statement[]): JsonObject[] {
  return statements.flatMap(({ product, assessment: { justification, time } }) =>
    justification === undefined
      ? []
      : [{ label: justification, date: rfc3339(time), product_ids: [product.id] }],
  );
}

function impact({ product, assessment }: Statement): JsonObject {
  return {
    category: "impact",
    details: assessment.status === "under_investigation" ? NOT_KNOWN : impactOf(assessment),
    date: rfc3339(assessment.time),
    product_ids: [product.id],
  };
}

/** The remediation of an affected product; of a fixed one, the date of the fix. */
function remediation({ product, assessment }: Statement): JsonObject {
  const unplanned = assessment.kind === "fixNotPlanned" || assessment.kind === "analysisNotPlanned";
  const isFixed = assessment.status === "fixed";
  return {
    category: isFixed ? "vendor_fix" : unplanned ? "no_fix_planned" : "none_available",
    details: isFixed ? fixOf(assessment) : actionOf(assessment),
    date: rfc3339(assessment.time),
    product_ids: [product.id],
  };
}

/** CSAF permits one CVSS 3 score per product, and none for products that are not affected. */
function scores(advisories: readonly Advisory[], statements: readonly Statement[]): JsonObject[] {
  const products = productIds(
    statements.filter(({ assessment }) => assessment.status !== "not_affected"),
  );
  if (products.length === 0) return [];
  for (const { type, score: vectorString } of advisories.flatMap((one) => one.severities)) {
    const base = type === Severity_Type.CVSS_V3 ? baseScore(vectorString) : undefined;
    if (base === undefined) continue;
    const { version, score: baseScoreOf, severity: baseSeverity } = base;
    return [{ cvss_v3: { version, vectorString, baseScore: baseScoreOf, baseSeverity }, products }];
  }
  return [];
}
