import type { ImageLocation, Repo } from "@wharf/client";
import { CatalogTier } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { type Column, UID } from "../output/columns.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { withGroup } from "../resource/group-column.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { updater } from "../resource/update.ts";
import { definedFields, nonEmptyList } from "../resource/values.ts";
import type { createDefinition, locationsDefinition } from "./commands.ts";
import { updateDefinition } from "./commands.ts";

const COLUMNS: readonly Column<Repo>[] = [
  { header: "Name", value: ({ name }) => name },
  UID,
  { header: "Tier", value: tierText },
  { header: "Description", value: ({ description }) => description },
  { header: "Bundles", value: ({ bundles }) => bundles, wide: true },
  { header: "Aliases", value: ({ aliases }) => aliases, wide: true },
  { header: "Active tags", value: ({ activeTags }) => activeTags, wide: true },
  { header: "Synced from", value: ({ syncConfig }) => syncConfig?.source, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

export const resource: Resource<Repo> = {
  kind: REPO,
  columns: withGroup(COLUMNS),
  details: COLUMNS,
};

function tierText({ catalogTier }: Repo): string {
  if (catalogTier === CatalogTier.UNSPECIFIED) return "";
  return (CatalogTier[catalogTier] ?? "").toLowerCase();
}

function readTier(tier: string | undefined): CatalogTier | undefined {
  return tier === undefined
    ? undefined
    : CatalogTier[tier.toUpperCase() as keyof typeof CatalogTier];
}

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "", syncFrom } = args;
  const parent = await resolveGroup(context, args.parent);
  const source = syncFrom === undefined ? undefined : await resolveUid(context, REPO, syncFrom);
  const repo = definedFields({
    name,
    description,
    catalogTier: readTier(args.tier),
    bundles: [...args.bundles],
    aliases: [...args.aliases],
    activeTags: [...args.activeTags],
    syncConfig: source === undefined ? undefined : { source },
  });
  const { repos } = await context.client();
  const created = await repos.create({ parent: parent.uid, repo }, { signal: context.signal });
  context.err.note(`created repo ${created.name} in ${parent.name}`);
  await printOne(context, resource, created);
};

export const update = updater(updateDefinition, {
  resource,
  find: async (context: Context, text: string) => ({
    uid: await resolveUid(context, REPO, text),
  }),
  fields: {
    name: "name",
    description: "description",
    catalogTier: ({ args: { tier } }) => readTier(tier),
    bundles: ({ args: { bundles } }) => nonEmptyList(bundles),
    aliases: ({ args: { aliases } }) => nonEmptyList(aliases),
    activeTags: ({ args: { activeTags } }) => nonEmptyList(activeTags),
  },
  send: ({ repos }, repo, updateMask, options) => repos.update({ repo, updateMask }, options),
});

const LOCATION_COLUMNS: readonly Column<ImageLocation>[] = [
  { header: "Host", value: ({ host }) => host },
  { header: "Path", value: ({ path }) => path },
  { header: "Attached", value: ({ attached }) => (attached ? "yes" : "no") },
];

export const locations: Run<typeof locationsDefinition> = async (context, args) => {
  const repoUid = await resolveUid(context, REPO, args.repo);
  const { images } = await context.client();
  const found = (await images.listLocations({ repoUid }, { signal: context.signal })).locations;
  const id = ({ host, path }: ImageLocation) => `${host}/${path}`;
  await context.out.list(found, LOCATION_COLUMNS, { id, what: "locations", arrangement: args });
};
