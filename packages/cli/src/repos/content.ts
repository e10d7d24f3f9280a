import { CatalogTier } from "@wharf/contract";
import { given } from "../resource/given.ts";

/** What options say about a repo; lists that are not given are not named. */
export function contentOf(args: {
  readonly tier: string | undefined;
  readonly bundles: readonly string[];
  readonly aliases: readonly string[];
  readonly activeTags: readonly string[];
}) {
  const { tier } = args;
  const some = (list: readonly string[]) => (list.length > 0 ? [...list] : undefined);
  return given({
    catalogTier:
      tier === undefined ? undefined : CatalogTier[tier.toUpperCase() as keyof typeof CatalogTier],
    bundles: some(args.bundles),
    aliases: some(args.aliases),
    activeTags: some(args.activeTags),
  });
}
