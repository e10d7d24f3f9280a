import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { osvUrl } from "../publish/osv-id.ts";
import { type Artifact, isAdvisoryId } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { artifactOf, type Package, packageOfUrl } from "./package.ts";
import type { Contents } from "./read.ts";
import { parseImpact, parseSentence, type Sentence } from "./sentences.ts";
import {
  type Assessment,
  advisoriesFrom,
  JUSTIFICATIONS,
  type Scope,
  type Statement,
  StatementBudget,
} from "./vex.ts";

/** Some generators omit the version. */
const CONTEXT = /^https:\/\/openvex\.dev\/ns(\/v0\.2\.\d+)?\/?$/;

/**
 * Reads an OpenVEX 0.2 document.
 *
 * @example DocumentNode.read(parseTree(text), readOpenVex).advisories
 */
export function readOpenVex(top: DocumentNode): Contents {
  if (!top.requireObject()) return { advisories: [] };
  const context = top.field("@context");
  if (!CONTEXT.test(context.requiredString())) {
    context.addProblem(
      `${quoted(context.optionalString())} is not supported; expected OpenVEX 0.2`,
    );
    return { advisories: [] };
  }
  const author = top.field("author").requiredString();
  const issued = top.field("timestamp").pastTime();
  const list = top.field("statements");
  if (!list.isPresent) list.addProblem("is missing");
  const budget = new StatementBudget();
  const statements = list
    .items("advisories")
    .flatMap((node) => statementsOf(node, author, issued, budget));
  return { advisories: advisoriesFrom(statements) };
}

function statementsOf(
  node: DocumentNode,
  author: string,
  issued: Timestamp | undefined,
  budget: StatementBudget,
): Statement[] {
  if (!node.requireObject()) return [];
  const time = node.field("timestamp").pastTime() ?? issued;
  const vulnerability = node.field("vulnerability");
  const name = nameOf(vulnerability);
  const aliases = vulnerability.field("aliases").names();
  const read = node.field("status").oneOf(ASSESSMENTS);
  const products = node.field("products");
  if (!products.isPresent) products.addProblem("is missing: a statement must name its products");
  const found = products.items("products").flatMap(productsOf);
  if (read === undefined || !budget.add(found.length, node)) return [];
  const names = [name, ...aliases.filter((alias) => alias !== name)];
  const { advisoryId, others } = ownId(node, names);
  return found.map((product) => ({
    artifact: product.artifact,
    vulnerability: others[0] ?? name,
    aliases: others,
    advisoryId,
    time,
    author,
    reviewState: ReviewState.APPROVED,
    assessment: read(node, product),
    scope: product.scope,
  }));
}

/** The name of a vulnerability; without one, the end of its @id, such as the URL of a CVE. */
function nameOf(vulnerability: DocumentNode): string {
  const name = vulnerability.field("name");
  const id = vulnerability.field("@id");
  if (name.isPresent || !id.isPresent) return name.requiredString();
  return id.optionalUrl().split(/[/#:]/).filter(Boolean).at(-1) ?? "";
}

/** Statements of Wharf have the advisory id at the end of their @id, and among the names. */
function ownId(node: DocumentNode, names: readonly string[]) {
  const id = node.field("@id").optionalUrl();
  const own = names.find((name) => id.endsWith(osvUrl({ advisoryId: name }, "")));
  if (own !== undefined) return { advisoryId: own, others: names.filter((name) => name !== own) };
  const last = id.split(/[/#:]/).at(-1) as string;
  return {
    advisoryId: [last.replace(/\.json$/, ""), ...names].find(isAdvisoryId),
    others: names.filter((name) => !isAdvisoryId(name)),
  };
}

interface Product {
  readonly purl: Package;
  readonly artifact: Artifact;
  readonly scope: Scope;
}

/** A product, or each of its named subcomponents. */
function productsOf(node: DocumentNode): Product[] {
  const purl = purlOf(node);
  if (purl === undefined) return [];
  const artifact = artifactOf(purl);
  const subcomponents = node.field("subcomponents").items("products");
  const { product } = purl;
  const scope = { product, subcomponent: "", range: "" };
  if (subcomponents.length === 0) return [{ purl, artifact, scope }];
  return subcomponents.flatMap((subcomponent) => {
    const inside = purlOf(subcomponent);
    if (inside === undefined) return [];
    const component = { ...artifact.component, name: inside.name, type: inside.type };
    const about = { ...scope, subcomponent: inside.product };
    return [{ purl, artifact: { ...artifact, component }, scope: about }];
  });
}

function purlOf(node: DocumentNode): Package | undefined {
  if (!node.requireObject()) return undefined;
  const own = node.field("identifiers").field("purl");
  const source = own.isPresent ? own : node.field("@id");
  const text = source.requiredString("urlLength");
  const purl = packageOfUrl(text, digestOf(node));
  if (text !== "" && purl === undefined) source.addProblem(`${quoted(text)} is not a package URL`);
  return purl;
}

/** The hash of a product is the digest of an image; other packages have versions. */
function digestOf(node: DocumentNode): string {
  const id =
    node.field("identifiers").field("purl").optionalUrl() || node.field("@id").optionalUrl();
  const hash = node.field("hashes").field("sha-256").optionalString();
  const isImage = /^pkg:\/*(oci|docker)\//i.test(id);
  return isImage && /^[0-9a-f]{64}$/.test(hash) ? `sha256:${hash}` : "";
}

const ASSESSMENTS: ReadonlyMap<string, (node: DocumentNode, product: Product) => Assessment> =
  new Map([
    ["fixed", fixed],
    ["affected", affected],
    [
      "under_investigation",
      (node: DocumentNode): Assessment => ({
        status: "under_investigation",
        note: sentencesOf(node).note,
      }),
    ],
    ["not_affected", notAffected],
  ]);

function fixed(node: DocumentNode, { purl: { version } }: Product): Assessment {
  const { isPatched = false, note } = sentencesOf(node);
  return { status: "fixed", version, isPatched, note };
}

function affected(node: DocumentNode): Assessment {
  const { plan = "fix", note } = sentencesOf(node);
  return { status: "affected", plan, note };
}

function notAffected(node: DocumentNode): Assessment {
  const justification = node.field("justification");
  const impact = node.field("impact_statement");
  if (!justification.isPresent && !impact.isPresent) {
    node.addProblem("is not_affected without a justification or an impact_statement");
  }
  const stated = parseImpact(impact);
  const because = justification.isPresent ? justification.oneOf(JUSTIFICATIONS) : stated.because;
  const notes = [
    stated.note,
    ...["action_statement", "status_notes"].map((name) => node.field(name).optionalText()),
  ];
  return {
    status: "not_affected",
    because: because ?? FalsePositive.UNSPECIFIED,
    note: notes.filter(Boolean).join("\n"),
  };
}

/** Combines the text fields of a statement; one of them may begin with a sentence of Wharf. */
function sentencesOf(node: DocumentNode): Sentence {
  const fields = ["impact_statement", "action_statement", "status_notes"];
  const words = fields.map((name) => parseSentence(node.field(name)));
  const note = words
    .map((one) => one.note)
    .filter(Boolean)
    .join("\n");
  return Object.assign({}, ...words, { note });
}
