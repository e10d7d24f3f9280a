import { create } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { ReviewState, type Vulnerability, VulnerabilitySchema } from "@wharf/contract/messages";
import { TOOL } from "../publish/publication.ts";
import { type At, quoted } from "./at.ts";
import { Names } from "./csaf-names.ts";
import { Products } from "./csaf-products.ts";
import { Remarks, STATUSES, standingOf } from "./csaf-status.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Contents } from "./read.ts";
import { csafSeverity, distinct } from "./severities.ts";
import { advisoriesFrom, type Statement, StatementBudget } from "./vex.ts";

/** What all statements of a document share. */
interface Document {
  readonly author: string;
  readonly time: Timestamp | undefined;
  readonly reviewState: ReviewState;
  readonly products: Products;
  /** Whether we wrote it ourselves. */
  readonly isOwn: boolean;
  readonly budget: StatementBudget;
}

/**
 * Reads a document of CSAF 2.0 of the category csaf_vex.
 *
 * @example At.read(treeOf(text), readCsaf).advisories
 */
export function readCsaf(top: At): Contents {
  const head = top.field("document");
  if (!head.mustBeObject()) return { advisories: [] };
  const version = head.field("csaf_version");
  const category = head.field("category");
  if (version.word() !== "2.0") {
    version.refuse(`CSAF ${quoted(version.wordIfAny())} is not read; 2.0 is`);
  } else if (category.word() !== "csaf_vex") {
    category.refuse(`the category ${quoted(category.wordIfAny())} is not read; csaf_vex is`);
  } else {
    return contentsOf(top, head);
  }
  return { advisories: [] };
}

function contentsOf(top: At, head: At): Contents {
  const tracking = head.field("tracking");
  const isOwn = tracking.field("generator").field("engine").field("name").wordIfAny() === TOOL;
  const document: Document = {
    author: head.field("publisher").field("name").word(),
    time: tracking.field("current_release_date").time(),
    // A draft is what nobody has approved yet.
    reviewState:
      tracking.field("status").word() === "draft" ? ReviewState.PENDING : ReviewState.APPROVED,
    products: new Products(top.field("product_tree"), isOwn),
    isOwn,
    budget: new StatementBudget(),
  };
  const list = top.field("vulnerabilities");
  if (!list.isThere) list.refuse("is missing");
  const all = list
    .items(READ_LIMITS.advisories)
    .filter((at) => at.mustBeObject())
    .map((at) => [at, new Names(at, isOwn)] as const);
  return {
    advisories: advisoriesFrom(all.flatMap(([at, names]) => statementsOf(at, names, document))),
    vulnerabilities: joined(
      all.flatMap(([at, names]) => vulnerabilityOf(at, names, document) ?? []),
    ),
  };
}

function statementsOf(at: At, names: Names, document: Document): Statement[] {
  const vulnerability = names.aliases[0] ?? names.own[0];
  const remarks = new Remarks(at, document.products);
  const status = at.field("product_status");
  if (!status.mustBeObject()) return [];
  const found = [...STATUSES].flatMap(([name, kind]) => {
    const list = status.field(name).items(READ_LIMITS.products);
    // Named again, a product stands no differently, and all remarks on it would be gone through again.
    const once = new Map(list.map((product) => [product.value, product]));
    return [...once.values()].map((product) => ({ product, kind }));
  });
  if (!document.budget.takes(found.length, status)) return [];
  const { author, time, reviewState, products } = document;
  const statements = found.flatMap(({ product, kind }): Statement[] => {
    const known = products.get(product);
    if (known === undefined || time === undefined || vulnerability === undefined) return [];
    const standing = standingOf(kind, product, known, remarks);
    const advisoryId = names.about(known.about);
    const aliases = names.aliasesOf(advisoryId);
    const about = { artifact: known.artifact, vulnerability, aliases, advisoryId };
    const since = remarks.timeOf(product.urlIfAny()) ?? time;
    return [{ ...about, time: since, author, reviewState, standing }];
  });
  // One advisory may be named where it is clear which product it is about.
  const [only, ...more] = names.own;
  const artifacts = new Set(statements.map(({ artifact }) => JSON.stringify(artifact)));
  if (only === undefined || more.length > 0 || artifacts.size !== 1) return statements;
  return statements.map((one) => ({ ...one, advisoryId: only }));
}

function vulnerabilityOf(
  at: At,
  { aliases: [id, ...aliases] }: Names,
  { time, isOwn }: Document,
): Vulnerability | undefined {
  const severities = at
    .field("scores")
    .items(READ_LIMITS.products)
    .flatMap((score) => [
      csafSeverity(score.field("cvss_v2"), "CVSS_V2") ?? [],
      csafSeverity(score.field("cvss_v3"), "CVSS_V3") ?? [],
    ])
    .flat();
  if (severities.length === 0 || id === undefined) return undefined;
  // What we only pass on has no time: whatever the vulnerability's own record says counts for more.
  const own = { ...(time && { updateTime: time }), summary: at.field("title").textIfAny() };
  return create(VulnerabilitySchema, {
    id,
    aliases,
    ...(isOwn ? {} : own),
    severities: distinct(severities),
  });
}

/** Documents may come back to a vulnerability for other products. */
function joined(all: readonly Vulnerability[]): Vulnerability[] {
  return [...Map.groupBy(all, ({ id }) => id).values()].map((same) => ({
    ...(same[0] as Vulnerability),
    aliases: [...new Set(same.flatMap(({ aliases }) => aliases))],
    severities: distinct(same.flatMap(({ severities }) => severities)),
  }));
}
