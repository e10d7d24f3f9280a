import type { LanguagePackage } from "./databases/language-package.ts";
import type { FileProblem } from "./failure.ts";

/** Databases of distributions, and files beside them. */
export type KeptKind = "release" | "apk" | "dpkg" | "dpkg-list" | "rpm" | "rpm-log" | "rpm-other";

/** The content of a file of interest, in memory until all layers were read. */
export type Content =
  | { readonly kind: KeptKind; readonly bytes: Buffer }
  /** The target of hard links, whose paths say what it is. */
  | { readonly kind: "linked"; readonly bytes: Buffer }
  | {
      readonly kind: "packages";
      readonly packages: readonly LanguagePackage[];
      /** Jars without coordinates. */
      readonly unknown: number;
    }
  | { readonly kind: "problem"; readonly problem: FileProblem };

/** Its share of the limit of kept bytes. */
export function sizeOf(content: Content): number {
  return "bytes" in content ? content.bytes.length : 0;
}
