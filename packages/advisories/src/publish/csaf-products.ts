import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import type { Assessed } from "./all-clears.ts";
import { isAnyArchitecture } from "./architectures.ts";
import { osvUrl } from "./osv.ts";
import { componentPurl, productUrls } from "./packages.ts";
import type { Publication } from "./publication.ts";

/** A product of the product tree. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly purl: string;
}

/**
 * The products of an assessment. Two
 * components of a package may have different statuses, so they are different products, with ids of the form
 * `<package> <component> at <location>`.
 *
 * @example productsOf({ advisory, assessment }, publication)[0]?.purl // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function productsOf(
  { advisory, assessment }: Assessed,
  publication: Publication,
): Product[] {
  const { artifactArchitecture, componentLocation } = advisory;
  const component = componentPurl(advisory, publication);
  const location = componentLocation === "" ? "" : `at ${componentLocation}`;
  const suffix = [component, location].filter(Boolean).join(" ");
  const architecture = isAnyArchitecture(artifactArchitecture) ? "" : artifactArchitecture;
  return productUrls(advisory, assessment, publication).map(({ purl, name, version }) => {
    const title = [name, version, architecture].filter(Boolean).join(" ");
    return {
      id: suffix === "" ? purl : `${purl} ${suffix}`,
      name: suffix === "" ? title : `${title}: ${suffix}`,
      purl,
    };
  });
}

/**
 * The entry of a product in the product tree.
 *
 * @param about the advisories that the entry must name, if several share the vulnerability
 * @example fullProductName(product, [], publication).product_id
 */
export function fullProductName(
  { id, name, purl }: Product,
  about: readonly Advisory[],
  { url }: Publication,
): JsonObject {
  const uris = about.map((advisory) => ({ namespace: `${url}/osv/`, uri: osvUrl(advisory, url) }));
  return {
    name,
    product_id: id,
    product_identification_helper: {
      purl,
      ...(uris.length === 0 ? {} : { x_generic_uris: uris }),
    },
  };
}
