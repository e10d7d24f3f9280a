import { type PackageUrl, parsePackageUrl } from "@wharf/advisories/package-url";
import type { Names } from "./image-names.ts";
import type { VexComponent, VexProduct, VexStatement } from "./vex-statement.ts";

/**
 * Whether a statement is about a package in an image: the product is the image, and the package is among the
 * subcomponents if there are any; or the product is the package, without subcomponents. The caller compares the
 * vulnerability (`VexStatements` does).
 */
export function statementApplies(statement: VexStatement, image: Names, one: Names): boolean {
  return statement.products.some((product) => productApplies(product, image, one));
}

function productApplies(product: VexProduct, image: Names, one: Names): boolean {
  const { subcomponents } = product;
  if (subcomponents.length === 0) return isNamed(product, image) || isNamed(product, one);
  return isNamed(product, image) && subcomponents.some((inner) => isNamed(inner, one));
}

function isNamed(component: VexComponent, names: Names): boolean {
  if (component.identifiers.some((identifier) => names.identifiers.has(identifier))) return true;
  if (component.hashes.some((hash) => names.hashes.has(hash))) return true;
  return component.purls.some((purl) => {
    const written = parsePackageUrl(purl);
    return written !== undefined && names.purls.some((asked) => purlMatches(written, asked));
  });
}

/**
 * Whether the package URL of a document includes another one: what it names must be equal, the version and each
 * qualifier. What it leaves out may be anything. Subpaths are not compared.
 */
export function purlMatches(written: PackageUrl, asked: PackageUrl): boolean {
  if (written.type !== asked.type) return false;
  if (written.segments.join("/") !== asked.segments.join("/")) return false;
  if (written.version !== "" && written.version !== asked.version) return false;
  return [...written.qualifiers].every(
    ([key, value]) => value === "" || asked.qualifiers.get(key) === value,
  );
}

/** Statements of documents by vulnerability. */
export class VexStatements {
  readonly #byName: ReadonlyMap<string, readonly { readonly statement: VexStatement }[]>;
  readonly #order: ReadonlyMap<VexStatement, number>;

  /** Of statements at one time, the later in the list is the later one. */
  constructor(statements: readonly VexStatement[]) {
    this.#order = new Map(statements.map((statement, at) => [statement, at]));
    const named = statements.flatMap((statement) =>
      statement.vulnerabilities.map((name) => ({ name, statement })),
    );
    this.#byName = Map.groupBy(named, ({ name }) => name);
  }

  /** The statement that decides about a vulnerability, by any of its names, in a package of an image: the last one. */
  deciding(vulnerability: readonly string[], image: Names, one: Names): VexStatement | undefined {
    const named = vulnerability.flatMap((name) => this.#byName.get(name) ?? []);
    const position = (statement: VexStatement) => this.#order.get(statement) as number;
    return [...new Set(named.map(({ statement }) => statement))]
      .filter((statement) => statementApplies(statement, image, one))
      .sort((a, b) => (a.time ?? 0) - (b.time ?? 0) || position(a) - position(b))
      .at(-1);
  }
}
