import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import type { Assessed } from "./all-clears.ts";
import { isAnyArchitecture } from "./architectures.ts";
import { osvUrl } from "./osv-id.ts";
import { productUrls, subcomponentUrls } from "./packages.ts";
import type { Publication } from "./publication.ts";

/** A product of the product tree. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly purl: string;
  /** The package URL of the vulnerable component in the product; undefined for the product itself. */
  readonly component: string | undefined;
}

/**
 * The products of an assessment. Two components of a package may have different statuses, so they are different
 * products, with ids of the form `<package> <component> at <location>`.
 *
 * @example productsOf({ advisory, assessment }, publication)[0]?.purl // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function productsOf(
  { advisory, assessment }: Assessed,
  publication: Publication,
): Product[] {
  const { artifactArchitecture, componentLocation } = advisory;
  const components = subcomponentUrls(advisory, assessment, publication);
  const location = componentLocation === "" ? "" : `at ${componentLocation}`;
  const architecture = isAnyArchitecture(artifactArchitecture) ? "" : artifactArchitecture;
  return productUrls(advisory, assessment, publication).flatMap(({ purl, name, version }) => {
    const title = [name, version, architecture].filter(Boolean).join(" ");
    return (components.length === 0 ? [undefined] : components).map((component) => {
      const suffix = [component, location].filter(Boolean).join(" ");
      return {
        id: suffix === "" ? purl : `${purl} ${suffix}`,
        name: suffix === "" ? title : `${title}: ${suffix}`,
        purl,
        component,
      };
    });
  });
}

/** A product with the advisories that its entry must name, if several share the vulnerability. */
export interface TreeEntry {
  readonly product: Product;
  readonly about: readonly Advisory[];
}

/**
 * The product tree. Components of products are related to them: without the relationship, scanners would read the
 * status of a component as that of the product.
 *
 * @example productTree(entries, publication).full_product_names
 */
export function productTree(entries: readonly TreeEntry[], publication: Publication): JsonObject {
  const names = new Map<string, JsonObject>();
  const relationships: JsonObject[] = [];
  for (const { product, about } of entries) {
    const { id, name, purl, component } = product;
    const uris = urisOf(about, publication);
    if (component === undefined) {
      names.set(id, { name, product_id: id, product_identification_helper: { purl, ...uris } });
      continue;
    }
    for (const one of [purl, component]) {
      const plain = { name: one, product_id: one, product_identification_helper: { purl: one } };
      if (!names.has(one)) names.set(one, plain);
    }
    const helper = about.length === 0 ? {} : { product_identification_helper: uris };
    relationships.push({
      category: "default_component_of",
      full_product_name: { name, product_id: id, ...helper },
      product_reference: component,
      relates_to_product_reference: purl,
    });
  }
  const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return {
    full_product_names: sorted,
    ...(relationships.length === 0 ? {} : { relationships }),
  };
}

function urisOf(about: readonly Advisory[], { url }: Publication): JsonObject {
  const uris = about.map((advisory) => ({ namespace: `${url}/osv/`, uri: osvUrl(advisory, url) }));
  return uris.length === 0 ? {} : { x_generic_uris: uris };
}
