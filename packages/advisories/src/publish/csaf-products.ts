import type { Advisory } from "@wharf/contract/messages";
import { isAnyArchitecture } from "./architectures.ts";
import type { Publication } from "./publication.ts";
import { componentPurl, packagesOf, versioned } from "./purl.ts";
import { standingOf } from "./standing.ts";

/** A product of a document's tree. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly purl: string;
}

/**
 * The products that an advisory is about: the package, for each distribution, in the versions that have
 * the fix where there is one. Two components of a package can stand differently with one vulnerability,
 * and then are two products.
 *
 * @example productsOf(advisory, publication)[0]?.purl // "pkg:apk/wolfi/openssl@3.5.0-r0?arch=x86_64"
 */
export function productsOf(advisory: Advisory, { distributions }: Publication): Product[] {
  const standing = standingOf(advisory);
  const versions = standing?.status === "fixed" ? standing.fixedIn : [""];
  const { artifactArchitecture, componentLocation } = advisory;
  const component = componentPurl(advisory, distributions[0]);
  const part = [component, componentLocation].filter(Boolean).join(" at ");
  return packagesOf(advisory, distributions).flatMap(({ purl: bare, name }) =>
    versions.map((version) => {
      const purl = versioned(bare, version, artifactArchitecture);
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
