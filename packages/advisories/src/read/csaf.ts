import { create } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { ReviewState, type Vulnerability, VulnerabilitySchema } from "@wharf/contract/messages";
import { TOOL } from "../publish/publication.ts";
import { Names } from "./csaf-names.ts";
import { Products } from "./csaf-products.ts";
import { assessmentOf, ProductNotes, STATUSES } from "./csaf-status.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import type { Contents } from "./read.ts";
import { csafSeverity, distinct, mergeById } from "./severities.ts";
import { advisoriesFrom, type Statement, StatementBudget } from "./vex.ts";

/** The properties that all statements of a document share. */
interface Document {
  readonly author: string;
  readonly time: Timestamp | undefined;
  readonly reviewState: ReviewState;
  readonly products: Products;
  /** Whether Wharf generated it. */
  readonly isOwn: boolean;
  readonly budget: StatementBudget;
}

/**
 * Reads a CSAF 2.0 document of the category csaf_vex.
 *
 * @example DocumentNode.read(parseTree(text), readCsaf).advisories
 */
export function readCsaf(top: DocumentNode): Contents {
  const head = top.field("document");
  if (!head.requireObject()) return { advisories: [] };
  const version = head.field("csaf_version");
  const category = head.field("category");
  if (version.requiredString() !== "2.0") {
    version.addProblem(`CSAF ${quoted(version.optionalString())} is not supported; expected 2.0`);
  } else if (category.requiredString() !== "csaf_vex") {
    category.addProblem(
      `the category ${quoted(category.optionalString())} is not supported; expected csaf_vex`,
    );
  } else {
    return contentsOf(top, head);
  }
  return { advisories: [] };
}

function contentsOf(top: DocumentNode, head: DocumentNode): Contents {
  const tracking = head.field("tracking");
  const isOwn = tracking.field("generator").field("engine").field("name").optionalString() === TOOL;
  const document: Document = {
    author: head.field("publisher").field("name").requiredString(),
    time: releaseTime(tracking.field("current_release_date")),
    // A draft is not approved yet.
    reviewState:
      tracking.field("status").requiredString() === "draft"
        ? ReviewState.PENDING
        : ReviewState.APPROVED,
    products: new Products(top.field("product_tree"), isOwn),
    isOwn,
    budget: new StatementBudget(),
  };
  const released = tracking.field("initial_release_date").pastTime();
  const list = top.field("vulnerabilities");
  if (!list.isPresent) list.addProblem("is missing");
  const all = list
    .items("advisories")
    .filter((node) => node.requireObject())
    .map((node) => [node, new Names(node, isOwn)] as const);
  const statements = all.flatMap(([node, names]) => statementsOf(node, names, document));
  return {
    advisories: advisoriesFrom(statements).map((one) =>
      released === undefined ? one : { ...one, createTime: released },
    ),
    vulnerabilities: mergeById(
      all.flatMap(([node, names]) => vulnerabilityOf(node, names, document) ?? []),
    ),
  };
}

/** Required by CSAF, but not in the future. */
function releaseTime(node: DocumentNode): Timestamp | undefined {
  node.requiredTime();
  return node.pastTime();
}

function statementsOf(node: DocumentNode, names: Names, document: Document): Statement[] {
  const vulnerability = names.aliases[0] ?? names.own[0];
  const notes = new ProductNotes(node, document.products);
  const status = node.field("product_status");
  if (!status.requireObject()) return [];
  const found = [...STATUSES].flatMap(([name, kind]) => {
    const list = status.field(name).items("products");
    // A product that is listed twice would only repeat the work for its notes.
    const once = new Map(list.map((product) => [product.value, product]));
    return [...once.values()].map((product) => ({ product, kind }));
  });
  if (!document.budget.add(found.length, status)) return [];
  const { author, time, reviewState, products } = document;
  const statements = found.flatMap(({ product, kind }): Statement[] => {
    const known = products.get(product);
    if (known === undefined || vulnerability === undefined) return [];
    const assessment = assessmentOf(kind, product, known, notes);
    const advisoryId = names.about(known.about);
    const aliases = names.aliasesOf(advisoryId);
    const about = { artifact: known.artifact, vulnerability, aliases, advisoryId };
    const since = notes.timeOf(product.optionalUrl()) ?? time;
    return [{ ...about, time: since, author, reviewState, assessment, scope: known.scope }];
  });
  // A single advisory id belongs to the product if there is only one.
  const [only, ...more] = names.own;
  const artifacts = new Set(statements.map(({ artifact }) => JSON.stringify(artifact)));
  if (only === undefined || more.length > 0 || artifacts.size !== 1) return statements;
  return statements.map((one) => ({ ...one, advisoryId: only }));
}

function vulnerabilityOf(
  node: DocumentNode,
  { aliases: [id, ...aliases] }: Names,
  { time, isOwn }: Document,
): Vulnerability | undefined {
  const severities = node
    .field("scores")
    .items("products")
    .flatMap((score) => [
      csafSeverity(score.field("cvss_v2"), "CVSS_V2") ?? [],
      csafSeverity(score.field("cvss_v3"), "CVSS_V3") ?? [],
    ])
    .flat();
  if (severities.length === 0 || id === undefined) return undefined;
  // Wharf only repeats severities, so without a time: a record of the vulnerability takes precedence.
  const own = { ...(time && { updateTime: time }), summary: node.field("title").optionalText() };
  return create(VulnerabilitySchema, {
    id,
    aliases,
    ...(isOwn ? {} : own),
    severities: distinct(severities),
  });
}
