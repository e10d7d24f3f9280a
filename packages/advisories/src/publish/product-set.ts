import { productKey } from "../image-url.ts";
import { formatPackageUrl, parsePackageUrl } from "../package-url.ts";

/** The component of the product itself, or of the advisory. */
const ANY_COMPONENT = "";

/** Products with their vulnerable components, by package URL. One without a version includes all versions. */
export class ProductSet {
  readonly #pairs = new Set<string>();

  add(product: string, components: readonly string[]): void {
    for (const component of orAny(components)) {
      this.#pairs.add(pairOf(productKey(product), component));
    }
  }

  /** Whether it includes a product with all of these components. */
  has(product: string, components: readonly string[]): boolean {
    if (this.#pairs.size === 0) return false;
    const products = wider(productKey(product));
    return orAny(components).every((component) =>
      products.some((one) =>
        [...wider(component), ANY_COMPONENT].some((inner) => this.#pairs.has(pairOf(one, inner))),
      ),
    );
  }
}

function orAny(components: readonly string[]): readonly string[] {
  return components.length === 0 ? [ANY_COMPONENT] : components;
}

function pairOf(product: string, component: string): string {
  return `${product} ${component}`;
}

/** A package URL, that of all versions, and that without qualifiers: each includes those before. */
function wider(purl: string): string[] {
  const url = parsePackageUrl(purl);
  if (url === undefined) return [purl];
  const { type, segments, qualifiers } = url;
  const untagged = new Map([...qualifiers].filter(([name]) => name !== "tag"));
  return [
    purl,
    formatPackageUrl({ type, segments, qualifiers: untagged }),
    formatPackageUrl({ type, segments }),
  ];
}
