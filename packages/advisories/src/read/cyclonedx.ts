import { create } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { ReviewState, type Vulnerability, VulnerabilitySchema } from "@wharf/contract/messages";
import { isAdvisoryId } from "./artifact.ts";
import { STATES } from "./cyclonedx-analysis.ts";
import { Components } from "./cyclonedx-components.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { UNKNOWN_AUTHOR } from "./events.ts";
import type { Contents } from "./read.ts";
import { cycloneDxSeverities, distinct, mergeById } from "./severities.ts";
import { advisoriesFrom, type Statement, StatementBudget } from "./vex.ts";

/** The versions whose BOMs have analyses of vulnerabilities. */
const VERSION = /^1\.[456]$/;

/** The properties that all statements of a document share. */
interface Document {
  readonly author: string;
  readonly time: Timestamp | undefined;
  readonly components: Components;
  readonly budget: StatementBudget;
}

/**
 * Reads the analyses of vulnerabilities of a CycloneDX BOM (1.4 to 1.6, JSON). Vulnerabilities without an analysis
 * are findings of a scanner: only their severities are read.
 *
 * @example DocumentNode.read(parseTree(text), readCycloneDx).advisories
 */
export function readCycloneDx(top: DocumentNode): Contents {
  if (!top.requireObject()) return { advisories: [] };
  const format = top.field("bomFormat");
  const version = top.field("specVersion");
  if (format.requiredString() !== "CycloneDX" || !VERSION.test(version.requiredString())) {
    const found = `${format.optionalString()} ${version.optionalString()}`;
    version.addProblem(`${quoted(found)} is not supported; expected CycloneDX 1.4, 1.5 or 1.6`);
    return { advisories: [] };
  }
  const metadata = top.field("metadata");
  const document: Document = {
    author: authorOf(metadata),
    time: metadata.field("timestamp").pastTime(),
    components: new Components(top),
    budget: new StatementBudget(),
  };
  const list = top.field("vulnerabilities");
  if (!list.isPresent) list.addProblem("is missing");
  const all = list.items("advisories").filter((node) => node.requireObject());
  return {
    advisories: advisoriesFrom(all.flatMap((node) => statementsOf(node, document))),
    vulnerabilities: mergeById(all.flatMap((node) => vulnerabilityOf(node, document) ?? [])),
  };
}

/** The supplier of the BOM; BOMs of tools name nobody. */
function authorOf(metadata: DocumentNode): string {
  const [author] = metadata.field("authors").items("products");
  const named = [
    metadata.field("supplier"),
    metadata.field("manufacturer"),
    metadata.field("manufacture"),
    ...(author === undefined ? [] : [author]),
  ].map((node) => node.field("name").optionalString());
  return named.find((name) => name !== "") ?? UNKNOWN_AUTHOR;
}

function statementsOf(node: DocumentNode, document: Document): Statement[] {
  const names = namesOf(node);
  const analysis = node.field("analysis");
  if (!analysis.field("state").isPresent || names.id === "") return [];
  const read = analysis.field("state").oneOf(STATES);
  const times = [
    analysis.field("lastUpdated").pastTime(),
    analysis.field("firstIssued").pastTime(),
    document.time,
    node.field("updated").pastTime(),
  ];
  const time = times.find((one) => one !== undefined);
  const affects = node.field("affects");
  if (!affects.isPresent) affects.addProblem("is missing: an analysis must name its components");
  const found = affects.items("products");
  if (!document.budget.add(found.length, affects)) return [];
  return found.flatMap((one): Statement[] => {
    if (!one.requireObject()) return [];
    const component = document.components.get(one.field("ref"));
    if (component === undefined || read === undefined) return [];
    const { artifact } = component;
    return read(analysis, component, one).map((scoped) => ({
      artifact,
      vulnerability: names.others[0] ?? names.id,
      aliases: names.others,
      advisoryId: names.own,
      time,
      author: document.author,
      reviewState: ReviewState.APPROVED,
      ...scoped,
    }));
  });
}

function namesOf(node: DocumentNode) {
  const id = node.field("id").requiredString();
  const references = node
    .field("references")
    .items("aliases")
    .map((one) => one.field("id").optionalString());
  const names = [...new Set([id, ...references])].filter((name) => name !== "");
  return { id, own: names.find(isAdvisoryId), others: names.filter((name) => !isAdvisoryId(name)) };
}

function vulnerabilityOf(node: DocumentNode, { time }: Document): Vulnerability | undefined {
  const { others } = namesOf(node);
  const [id, ...aliases] = others;
  const severities = cycloneDxSeverities(node.field("ratings"));
  if (severities.length === 0 || id === undefined) return undefined;
  const updated = node.field("updated").pastTime() ?? time;
  const published = node.field("published").optionalTime();
  return create(VulnerabilitySchema, {
    id,
    aliases,
    ...(published && { publishTime: published }),
    ...(updated && { updateTime: updated }),
    severities: distinct(severities),
  });
}
