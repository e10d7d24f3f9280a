import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { isAnyArchitecture } from "./architectures.ts";
import { assessmentOf } from "./assessment.ts";
import { osvUrl } from "./osv.ts";
import { componentPurl, packagesOf, versioned } from "./packages.ts";
import type { Publication } from "./publication.ts";

/** A product of a document's tree. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly purl: string;
}

/**
 * The products that an advisory is about: the package, for each distribution, in the versions that have
 * the fix where there is one. Two components of a package can stand differently with one vulnerability,
 * and then are two products; their ids tell which: `<package> <component> at <location>`.
 *
 * @example productsOf(advisory, publication)[0]?.purl // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function productsOf(advisory: Advisory, publication: Publication): Product[] {
  const assessment = assessmentOf(advisory);
  const versions = assessment?.status === "fixed" ? assessment.fixedIn : [""];
  const { artifactArchitecture, componentLocation } = advisory;
  const component = componentPurl(advisory, publication);
  const place = componentLocation === "" ? "" : `at ${componentLocation}`;
  const part = [component, place].filter(Boolean).join(" ");
  return packagesOf(advisory, publication).flatMap(({ url, name }) =>
    versions.map((version) => {
      const purl = versioned(url, version, artifactArchitecture);
      const shown = [
        name,
        version,
        isAnyArchitecture(artifactArchitecture) ? "" : artifactArchitecture,
      ]
        .filter(Boolean)
        .join(" ");
      return {
        id: part === "" ? purl : `${purl} ${part}`,
        name: part === "" ? shown : `${shown}: ${part}`,
        purl,
      };
    }),
  );
}

/**
 * The product as the tree has it.
 *
 * @param about the advisories that it must be told of whose it is
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
