import type { JsonObject } from "@bufbuild/protobuf";
import { type Advisory, Severity_Type } from "@wharf/contract/messages";
import { type Assessment, assessmentOf, type VexStatus } from "./assessment.ts";
import { type Product, productsOf } from "./csaf-products.ts";
import { baseScore } from "./cvss.ts";
import { isCve, vulnerabilityName } from "./names.ts";
import type { Publication } from "./publication.ts";
import { actionOf, fixOf, NOT_AFFECTED, NOT_KNOWN } from "./sentences.ts";
import { rfc3339 } from "./times.ts";

/** What CSAF calls the statuses; of two that contradict each other on a product the first one counts. */
const STATUSES: readonly (readonly [VexStatus, string])[] = [
  ["affected", "known_affected"],
  ["under_investigation", "under_investigation"],
  ["fixed", "fixed"],
  ["not_affected", "known_not_affected"],
];

/** What advisories are called among the names of a vulnerability. */
export const OWN_SYSTEM = "Wharf advisory";

/** What stands before the names by which one of several advisories knows the vulnerability. */
export const KNOWN_AS = "Known as:";

/** One product, and what an advisory says of it. */
export interface Statement {
  readonly product: Product;
  readonly assessment: Assessment;
  readonly advisory: Advisory;
}

/** A vulnerability of a package: its name, who tells of it, and what. */
export interface VulnerabilityStatements {
  readonly name: string;
  readonly advisories: readonly Advisory[];
  readonly statements: readonly Statement[];
}

/**
 * The vulnerabilities of one package, each once, with one statement for each product: CSAF refuses
 * documents that contradict themselves.
 *
 * @example statementsByVulnerability(advisoriesOfOpenssl, publication)[0]?.name // "CVE-2026-0001"
 */
export function statementsByVulnerability(
  advisories: readonly Advisory[],
  publication: Publication,
): VulnerabilityStatements[] {
  const named = Map.groupBy(advisories, (advisory) => vulnerabilityName(advisory).name);
  return [...named]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, about]) => {
      const statements = settled(about, publication);
      const speaking = new Set(statements.map(({ advisory }) => advisory));
      return { name, advisories: about.filter((one) => speaking.has(one)), statements };
    });
}

/**
 * A vulnerability with where each product stands.
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
  const parts = {
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
    ...Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0)),
  };
}

function settled(advisories: readonly Advisory[], publication: Publication): Statement[] {
  const rank = ({ assessment }: Statement) =>
    STATUSES.findIndex(([status]) => status === assessment.status);
  const chosen = new Map<string, Statement>();
  for (const advisory of advisories) {
    const assessment = assessmentOf(advisory);
    if (assessment === undefined) continue;
    for (const product of productsOf(advisory, publication)) {
      const statement = { product, assessment, advisory };
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
  const said = new Map(
    statements.map(({ advisory, assessment }) => [advisory.advisoryId, assessment]),
  );
  return [
    { category: "description", text: `Status of ${name} in this package.` },
    ...[...said].flatMap(([title, { note }]) =>
      note === "" || note === NOT_AFFECTED ? [] : [{ category: "details", title, text: note }],
    ),
    ...otherNames(advisories),
  ];
}

/** CSAF has one list of names, for all advisories on a vulnerability: where theirs differ, each has a note. */
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

function impact({ product, assessment: { status, note, time } }: Statement): JsonObject {
  return {
    category: "impact",
    details: status === "under_investigation" ? NOT_KNOWN : note || NOT_AFFECTED,
    date: rfc3339(time),
    product_ids: [product.id],
  };
}

/** What there is to do; of what is fixed, since when the fix is there. */
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

/** CSAF has one score of version 3 for a product, and none for what is not affected. */
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
