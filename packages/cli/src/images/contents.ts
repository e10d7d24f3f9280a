import { InventoryState } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { DEFAULT_PLATFORM, PACKAGE_COLUMNS } from "../exposure/columns.ts";
import { type NamedImage, resolveImage } from "../exposure/image-argument.ts";
import { describe } from "../exposure/known-packages.ts";
import { list as listFindings } from "../exposure/run.ts";
import type { packagesDefinition, vulnerabilitiesDefinition } from "./commands.ts";

export const packages: Run<typeof packagesDefinition> = async (context, args) => {
  const { image, query = "", platform } = args;
  const named = await resolveImage(context, image);
  const digest = await platformDigest(context, named, platform);
  const { inventory } = await context.client();
  const items = inventory.listImagePackagesAll(
    { repoUid: named.repoUid, digest, query },
    { signal: context.signal },
  );
  await context.progress("listing packages", () =>
    context.out.list(items, PACKAGE_COLUMNS, {
      id: ({ purl }) => purl,
      what: "packages",
      arrangement: args,
    }),
  );
};

/** The image of a platform; of an index, linux/amd64 or the only one by default. */
async function platformDigest(
  context: Context,
  named: NamedImage,
  platform: string | undefined,
): Promise<string> {
  const { inventory } = await context.client();
  const { platforms } = await inventory.getImage(named, { signal: context.signal });
  const chosen =
    platforms.find((one) => one.platform === (platform ?? DEFAULT_PLATFORM)) ??
    (platform === undefined && platforms.length === 1 ? platforms[0] : undefined);
  if (chosen === undefined) {
    const names = platforms.map((one) => one.platform).join(", ");
    throw notFound(`no image for ${platform ?? DEFAULT_PLATFORM}`, `--platform is one of ${names}`);
  }
  if (chosen.state !== InventoryState.KNOWN) context.err.warn(describe(chosen));
  return chosen.digest;
}

export const vulnerabilities: Run<typeof vulnerabilitiesDefinition> = (context, args) =>
  listFindings(context, { ...args, repo: undefined, parent: undefined, recursive: true });
