import type { JsonObject } from "@bufbuild/protobuf";
import { type Advisory, Severity_Type } from "@wharf/contract/messages";
import { type Product, productsOf } from "./csaf-products.ts";
import { baseScore } from "./cvss.ts";
import { isCve, vulnerabilityName } from "./names.ts";
import { actionOf, NOT_AFFECTED } from "./openvex.ts";
import type { Publication } from "./publication.ts";
import { type Standing, standingOf, type VexStatus } from "./standing.ts";
import { rfc3339 } from "./times.ts";

/** What CSAF calls the statuses; of two that contradict each other on a product the first one counts. */
const STATUSES: readonly (readonly [VexStatus, string])[] = [
  ["affected", "known_affected"],
  ["under_investigation", "under_investigation"],
  ["fixed", "fixed"],
  ["not_affected", "known_not_affected"],
];

/** One product, and what an advisory says of it. */
interface Statement {
  readonly product: Product;
  readonly standing: Standing;
  readonly advisory: Advisory;
}

/**
 * The vulnerabilities of one package, each once, with where each of its products stands.
 *
 * @example vulnerabilities(advisoriesOfOpenssl, publication)[0]?.cve // "CVE-2026-0001"
 */
export function vulnerabilities(
  advisories: readonly Advisory[],
  publication: Publication,
): JsonObject[] {
  const named = Map.groupBy(advisories, (advisory) => vulnerabilityName(advisory).name);
  return [...named]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, about]) => vulnerability(name, about, publication));
}

function vulnerability(
  name: string,
  advisories: readonly Advisory[],
  publication: Publication,
): JsonObject {
  const statements = settled(advisories, publication);
  const having = (status: VexStatus) =>
    statements.filter(({ standing }) => standing.status === status);
  const others = [...new Set(advisories.flatMap((one) => vulnerabilityName(one).others))];
  const ids = (isCve(name) ? others : [name, ...others]).map(idOf);
  const status = STATUSES.map(([from, to]) => [to, productIds(having(from))] as const);
  const parts = {
    ids,
    flags: flags(having("not_affected")),
    remediations: having("affected").map(remediation),
    scores: scores(advisories, statements),
    threats: having("not_affected").map(impact),
  };
  return {
    ...(isCve(name) ? { cve: name } : {}),
    title: `${name} in ${advisories[0]?.artifactName}`,
    notes: notes(name, statements),
    product_status: Object.fromEntries(status.filter(([, products]) => products.length > 0)),
    ...Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0)),
  };
}

/** One statement for each product: CSAF refuses documents that contradict themselves. */
function settled(advisories: readonly Advisory[], publication: Publication): Statement[] {
  const rank = ({ standing }: Statement) =>
    STATUSES.findIndex(([status]) => status === standing.status);
  const chosen = new Map<string, Statement>();
  for (const advisory of advisories) {
    const standing = standingOf(advisory);
    if (standing === undefined) continue;
    for (const product of productsOf(advisory, publication)) {
      const statement = { product, standing, advisory };
      const before = chosen.get(product.id);
      if (before === undefined || rank(statement) < rank(before)) chosen.set(product.id, statement);
    }
  }
  return [...chosen.values()].sort((a, b) => (a.product.id < b.product.id ? -1 : 1));
}

function productIds(statements: readonly Statement[]): string[] {
  return statements.map(({ product }) => product.id);
}

function idOf(text: string): JsonObject {
  const system_name = /^[A-Za-z]+(?=-)/.exec(text)?.[0] ?? "Advisory";
  return { system_name, text };
}

function notes(name: string, statements: readonly Statement[]): JsonObject[] {
  const said = new Map(statements.map(({ advisory, standing }) => [advisory.advisoryId, standing]));
  return [
    { category: "description", text: `What is known of ${name} in this package.` },
    ...[...said].flatMap(([title, { note }]) =>
      note === "" ? [] : [{ category: "details", title, text: note }],
    ),
  ];
}

function flags(statements: readonly Statement[]): JsonObject[] {
  return statements.flatMap(({ product, standing: { justification, time } }) =>
    justification === undefined
      ? []
      : [{ label: justification, date: rfc3339(time), product_ids: [product.id] }],
  );
}

function impact({ product, standing: { note, time } }: Statement): JsonObject {
  return {
    category: "impact",
    details: note || NOT_AFFECTED,
    date: rfc3339(time),
    product_ids: [product.id],
  };
}

function remediation({ product, standing }: Statement): JsonObject {
  const unplanned = standing.kind === "fixNotPlanned" || standing.kind === "analysisNotPlanned";
  return {
    category: unplanned ? "no_fix_planned" : "none_available",
    details: actionOf(standing),
    date: rfc3339(standing.time),
    product_ids: [product.id],
  };
}

/** CSAF has one score of version 3 for a product, and none for what is not affected. */
function scores(advisories: readonly Advisory[], statements: readonly Statement[]): JsonObject[] {
  const products = productIds(
    statements.filter(({ standing }) => standing.status !== "not_affected"),
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
