import { VERSION } from "../../lib/version.ts";
import type { StoredImage } from "../../store/tables/exposure/images/images.ts";
import type { PackageRow } from "../../store/tables/exposure/packages/image-packages-list.ts";

/** The packages of an image as CycloneDX 1.6. The same packages give the same document, except for its time. */
export function cyclonedxOf(
  { digest, indexed }: Pick<StoredImage, "digest" | "indexed">,
  packages: readonly PackageRow[],
): object {
  const image = { type: "container", "bom-ref": digest, name: digest };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(indexed).toISOString(),
      tools: { components: [{ type: "application", name: "Wharf", version: VERSION }] },
      component: image,
    },
    components: packages.map(({ id, purl, name, version, license }) => ({
      ...{ type: "library", "bom-ref": `${purl}#${id}`, name, version, purl },
      ...(license !== "" && { licenses: [licenseOf(license)] }),
    })),
    dependencies: [{ ref: digest, dependsOn: packages.map(({ id, purl }) => `${purl}#${id}`) }],
  };
}

/** A license id of SPDX is an expression, too. */
function licenseOf(license: string): object {
  const isExpression = /^[\w.+() -]+$/.test(license);
  return isExpression ? { expression: license } : { license: { name: license } };
}
