import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  ReviewState,
} from "@wharf/contract/messages";
import { osvUrl } from "../publish/osv.ts";
import { type Artifact, isAdvisoryId } from "./artifact.ts";
import { type At, quoted } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import { ownImpact, ownWords, type Words } from "./own-words.ts";
import { artifactOf, type Purl, parsePurl } from "./purl.ts";
import type { Contents } from "./read.ts";
import {
  advisoriesFrom,
  JUSTIFICATIONS,
  type Standing,
  type Statement,
  StatementBudget,
} from "./vex.ts";

const CONTEXT = /^https:\/\/openvex\.dev\/ns\/v0\.2\.\d+$/;

/**
 * Reads a document of OpenVEX 0.2.
 *
 * @example At.read(treeOf(text), readOpenVex).advisories
 */
export function readOpenVex(top: At): Contents {
  if (!top.mustBeObject()) return { advisories: [] };
  const context = top.field("@context");
  if (!CONTEXT.test(context.word())) {
    context.refuse(`${quoted(context.wordIfAny())} is not read; OpenVEX 0.2 is`);
    return { advisories: [] };
  }
  const author = top.field("author").word();
  const issued = top.field("timestamp").time();
  const list = top.field("statements");
  if (!list.isThere) list.refuse("is missing");
  const budget = new StatementBudget();
  const statements = list
    .items(READ_LIMITS.advisories)
    .flatMap((at) => statementsOf(at, author, issued, budget));
  return { advisories: advisoriesFrom(statements) };
}

function statementsOf(
  at: At,
  author: string,
  issued: Timestamp | undefined,
  budget: StatementBudget,
): Statement[] {
  if (!at.mustBeObject()) return [];
  const time = at.field("timestamp").timeIfAny() ?? issued;
  const vulnerability = at.field("vulnerability");
  const name = vulnerability.field("name").word();
  const aliases = vulnerability.field("aliases").words(READ_LIMITS.aliases);
  const read = at.field("status").oneOf(STANDINGS);
  const products = at.field("products");
  if (!products.isThere) products.refuse("is missing: what is it about?");
  const found = products.items(READ_LIMITS.products).flatMap(productsOf);
  if (read === undefined || time === undefined || !budget.takes(found.length, at)) return [];
  const names = [name, ...aliases.filter((alias) => alias !== name)];
  const { advisoryId, others } = ownId(at, names);
  return found.map((product) => ({
    artifact: product.artifact,
    vulnerability: others[0] ?? name,
    aliases: others,
    advisoryId,
    time,
    author,
    reviewState: ReviewState.APPROVED,
    standing: read(at, product),
  }));
}

/** Statements of our own carry the id of their advisory at the end of theirs, and among the names. */
function ownId(at: At, names: readonly string[]) {
  const id = at.field("@id").urlIfAny();
  const own = names.find((name) => id.endsWith(osvUrl({ advisoryId: name }, "")));
  if (own !== undefined) return { advisoryId: own, others: names.filter((name) => name !== own) };
  const last = id.split(/[/#:]/).at(-1) as string;
  return {
    advisoryId: [last.replace(/\.json$/, ""), ...names].find(isAdvisoryId),
    others: names.filter((name) => !isAdvisoryId(name)),
  };
}

interface Product {
  readonly purl: Purl;
  readonly artifact: Artifact;
  /** The version, of it or of the component in it, that alone is meant. */
  readonly only: string;
}

/** A product, or each of the components in it that are named. */
function productsOf(at: At): Product[] {
  const purl = purlOf(at);
  if (purl === undefined) return [];
  const artifact = artifactOf(purl);
  const parts = at.field("subcomponents").items(READ_LIMITS.products);
  if (parts.length === 0) return [{ purl, artifact, only: purl.version }];
  return parts.flatMap((part) => {
    const inside = purlOf(part);
    if (inside === undefined) return [];
    const component = { ...artifact.component, name: inside.name, type: inside.type };
    const only = purl.version || inside.version;
    return [{ purl, artifact: { ...artifact, component }, only }];
  });
}

function purlOf(at: At): Purl | undefined {
  if (!at.mustBeObject()) return undefined;
  const own = at.field("identifiers").field("purl");
  const place = own.isThere ? own : at.field("@id");
  const text = place.word(READ_LIMITS.urlLength);
  const purl = parsePurl(text);
  if (text !== "" && purl === undefined) place.refuse(`${quoted(text)} is not a package URL`);
  return purl;
}

const STANDINGS: ReadonlyMap<string, (at: At, product: Product) => Standing> = new Map([
  ["fixed", fixed],
  ["affected", affected],
  [
    "under_investigation",
    (at: At): Standing => ({ status: "under_investigation", note: wordsOf(at).note }),
  ],
  ["not_affected", notAffected],
]);

function fixed(at: At, { purl: { version } }: Product): Standing {
  const { isPatched = false, note } = wordsOf(at);
  return { status: "fixed", version, isPatched, note };
}

function affected(at: At): Standing {
  const { plan = "fix", note } = wordsOf(at);
  return { status: "affected", plan, note };
}

function notAffected(at: At, { only }: Product): Standing {
  const justification = at.field("justification");
  const impact = at.field("impact_statement");
  if (!justification.isThere && !impact.isThere) {
    at.refuse("is not_affected without a justification or an impact_statement");
  }
  const because = justification.isThere ? justification.oneOf(JUSTIFICATIONS) : undefined;
  const notes = [
    ownImpact(impact),
    ...["action_statement", "status_notes"].map((name) => at.field(name).textIfAny()),
  ];
  return {
    status: "not_affected",
    because: because ?? FalsePositive.UNSPECIFIED,
    note: notes.filter(Boolean).join("\n"),
    only,
  };
}

/** All that is said in words: a sentence of ours stands at the beginning of one of the fields. */
function wordsOf(at: At): Words {
  const fields = ["impact_statement", "action_statement", "status_notes"];
  const words = fields.map((name) => ownWords(at.field(name)));
  const note = words
    .map((one) => one.note)
    .filter(Boolean)
    .join("\n");
  return Object.assign({}, ...words, { note });
}
