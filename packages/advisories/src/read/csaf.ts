import { create } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { ReviewState, type Vulnerability, VulnerabilitySchema } from "@wharf/contract/messages";
import { isAdvisoryId } from "./artifact.ts";
import { type At, quoted } from "./at.ts";
import { Products } from "./csaf-products.ts";
import { Remarks, STATUSES, standingOf } from "./csaf-status.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Contents } from "./read.ts";
import { csafSeverity, distinct } from "./severities.ts";
import { advisoriesFrom, type Statement } from "./vex.ts";

/** What all statements of a document share. */
interface Document {
  readonly author: string;
  readonly time: Timestamp | undefined;
  readonly reviewState: ReviewState;
  readonly products: Products;
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
  const document: Document = {
    author: head.field("publisher").field("name").word(),
    time: tracking.field("current_release_date").time(),
    // A draft is what nobody has approved yet.
    reviewState:
      tracking.field("status").word() === "draft" ? ReviewState.PENDING : ReviewState.APPROVED,
    products: new Products(top.field("product_tree")),
  };
  const list = top.field("vulnerabilities");
  if (!list.isThere) list.refuse("is missing");
  const all = list
    .items(READ_LIMITS.advisories)
    .filter((at) => at.mustBeObject())
    .map((at) => [at, namesOf(at)] as const);
  return {
    advisories: advisoriesFrom(all.flatMap(([at, names]) => statementsOf(at, names, document))),
    vulnerabilities: joined(
      all.flatMap(([at, names]) => vulnerabilityOf(at, names, document) ?? []),
    ),
  };
}

function namesOf(at: At): string[] {
  const cve = at.field("cve").wordIfAny();
  const ids = at.field("ids").items(READ_LIMITS.aliases);
  const names = [cve, ...ids.map((id) => id.field("text").word())].filter(Boolean);
  if (names.length === 0) at.refuse("has neither a cve nor ids");
  return [...new Set(names)];
}

function statementsOf(at: At, names: readonly string[], document: Document): Statement[] {
  const aliases = names.filter((name) => !isAdvisoryId(name));
  const [vulnerability = names[0]] = aliases;
  const remarks = new Remarks(at, document.products);
  const status = at.field("product_status");
  if (!status.mustBeObject()) return [];
  const found = [...STATUSES].flatMap(([name, kind]) => {
    const list = status.field(name).items(READ_LIMITS.products);
    // Named again, a product stands no differently, and all remarks on it would be gone through again.
    const once = new Map(list.map((product) => [product.value, product]));
    return [...once.values()].map((product) => ({ product, kind }));
  });
  const { author, time, reviewState, products } = document;
  // One advisory may be named where it is clear which product it is about.
  const own = names.filter(isAdvisoryId);
  const statements = found.flatMap(({ product, kind }): Statement[] => {
    const known = products.get(product);
    if (known === undefined || time === undefined || vulnerability === undefined) return [];
    const standing = standingOf(kind, product, known, remarks);
    const about = { artifact: known.artifact, vulnerability, aliases, advisoryId: undefined };
    const since = remarks.timeOf(product.wordIfAny()) ?? time;
    return [{ ...about, time: since, author, reviewState, standing }];
  });
  const artifacts = new Set(statements.map(({ artifact }) => JSON.stringify(artifact)));
  if (own.length !== 1 || artifacts.size !== 1) return statements;
  return statements.map((one) => ({ ...one, advisoryId: own[0] }));
}

function vulnerabilityOf(
  at: At,
  names: readonly string[],
  { time }: Document,
): Vulnerability | undefined {
  const severities = at
    .field("scores")
    .items(READ_LIMITS.products)
    .flatMap((score) => [
      csafSeverity(score.field("cvss_v2"), "CVSS_V2") ?? [],
      csafSeverity(score.field("cvss_v3"), "CVSS_V3") ?? [],
    ])
    .flat();
  const [id, ...aliases] = names.filter((name) => !isAdvisoryId(name));
  if (severities.length === 0 || id === undefined) return undefined;
  return create(VulnerabilitySchema, {
    id,
    aliases,
    summary: at.field("title").textIfAny(),
    ...(time && { updateTime: time }),
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
