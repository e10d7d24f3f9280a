import { formatPackageUrl, parsePackageUrl } from "@wharf/advisories/package-url";
import { isObject, type JsonObject, objectsIn, textsIn } from "../../lib/json-values.ts";
import type { SbomLimits } from "./limits.ts";
import type { SbomPackage } from "./sbom.ts";
import type { Texts } from "./texts.ts";
import {
  timeOf,
  tooManyStatements,
  type VexComponent,
  type VexProduct,
  type VexStatement,
  type VexStatus,
} from "./vex-statement.ts";

/** Metadata and components of the BOM that the analyses refer to. */
interface Bom {
  readonly timestamp: unknown;
  readonly authors: unknown;
  readonly supplier: unknown;
  readonly product: SbomPackage | undefined;
  /** The digests of the product, if it is an image. */
  readonly digests: readonly string[];
  readonly packages: ReadonlyMap<string, SbomPackage>;
}

const STATUSES: ReadonlyMap<unknown, VexStatus> = new Map<unknown, VexStatus>([
  ["resolved", "fixed"],
  ["resolved_with_pedigree", "fixed"],
  ["exploitable", "affected"],
  ["in_triage", "under_investigation"],
  ["false_positive", "not_affected"],
  ["not_affected", "not_affected"],
]);

/** A BOM-Link to a component of another BOM: `urn:cdx:<serial>/<version>#<bom-ref>`. */
const BOM_LINK = /^urn:cdx:[^#]*#(.*)$/s;

/** The analyses of vulnerabilities as statements. Entries without an analysis that is readable say nothing. */
export function cycloneStatements(
  analyses: readonly JsonObject[],
  bom: Bom,
  texts: Texts,
  limits: SbomLimits,
): VexStatement[] {
  let count = 0;
  return analyses.flatMap((entry) => {
    const affects = objectsIn(entry.affects);
    for (const { versions } of affects)
      count += 1 + (Array.isArray(versions) ? versions.length : 0);
    if (count > limits.statements) throw tooManyStatements(limits);
    const statement = statementOf(entry, affects, bom, texts);
    return statement === undefined ? [] : [statement];
  });
}

function statementOf(
  entry: JsonObject,
  affects: readonly JsonObject[],
  bom: Bom,
  texts: Texts,
): VexStatement | undefined {
  const analysis = entry.analysis as JsonObject;
  const status = STATUSES.get(analysis.state);
  const vulnerabilities = namesOf(entry, texts);
  const products = affects.flatMap((one) => productsOf(one, status, bom, texts));
  if (status === undefined || vulnerabilities.length === 0 || products.length === 0)
    return undefined;
  const supplier = isObject(bom.supplier) ? texts.prose(bom.supplier.name) : undefined;
  const [author] = objectsIn(bom.authors);
  return {
    vulnerabilities,
    products,
    status,
    justification: texts.prose(analysis.justification),
    impact: texts.prose(analysis.detail),
    action: texts.prose(textsIn(analysis.response).join(", ")),
    time: [analysis.lastUpdated, analysis.firstIssued, entry.updated, bom.timestamp]
      .map(timeOf)
      .find((time) => time !== undefined),
    author: texts.prose(author?.name) ?? supplier,
    supplier,
  };
}

function namesOf({ id, references }: JsonObject, texts: Texts): string[] {
  const ids = [id, ...objectsIn(references).map((one) => one.id)];
  return [...new Set(ids.map((one) => texts.name(one)))].filter(Boolean);
}

/**
 * An analysis holds for the component in the product that the BOM describes: that its code does not reach a vulnerable
 * function says nothing about other users of the same library. Of listed versions it holds for those alone that are
 * named exactly; where a fix is stated, for those that are not affected by it.
 */
function productsOf(
  affected: JsonObject,
  status: VexStatus | undefined,
  { product, digests, packages }: Bom,
  texts: Texts,
): VexProduct[] {
  const ref = texts.url(affected.ref);
  if (ref === "") return [];
  const [, linked] = BOM_LINK.exec(ref) ?? [];
  const one =
    packages.get(ref) ?? (linked === undefined ? undefined : packages.get(decoded(linked)));
  const component =
    one === undefined ? named(linked === undefined ? ref : decoded(linked), ref) : componentOf(one);
  const components = versionsOf(affected, status, component, texts);
  if (product === undefined) return components.map((each) => ({ ...each, subcomponents: [] }));
  const hashes = digests.map((digest) => digest.replace("sha256:", ""));
  if (product === one) {
    // The digests are those of the version that the document is about, whatever versions it lists.
    return components.map((each) =>
      each === component ? { ...each, hashes, subcomponents: [] } : { ...each, subcomponents: [] },
    );
  }
  return components.length === 0
    ? []
    : [{ ...componentOf(product), hashes, subcomponents: components }];
}

function versionsOf(
  { versions }: JsonObject,
  status: VexStatus | undefined,
  component: VexComponent,
  texts: Texts,
): VexComponent[] {
  const listed = objectsIn(versions);
  if (listed.length === 0) return [component];
  return listed
    .filter((one) => status !== "fixed" || one.status === "unaffected")
    .map((one) => texts.name(one.version))
    .filter(Boolean)
    .map((version) => atVersion(component, version));
}

function atVersion({ purls }: VexComponent, version: string): VexComponent {
  const own = purls.flatMap((purl) => {
    const url = parsePackageUrl(purl);
    return url === undefined ? [] : [formatPackageUrl({ ...url, version })];
  });
  return { identifiers: own, purls: own, hashes: [] };
}

function componentOf({ ref, purl }: SbomPackage): VexComponent {
  const purls = purl === undefined ? [] : [purl];
  return { identifiers: [...new Set([ref, ...purls])], purls, hashes: [] };
}

/** A component of another document, which some tools refer to by its package URL. */
function named(name: string, ref: string): VexComponent {
  return {
    identifiers: [...new Set([ref, name])],
    purls: parsePackageUrl(name) === undefined ? [] : [name],
    hashes: [],
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid percent-encoding: some tools do not encode references.
    return text;
  }
}
