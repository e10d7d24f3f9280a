import type { QuotaUsage, RegistryUsage } from "@wharf/client";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import type { Column } from "../output/columns.ts";
import { sizeText } from "../output/short.ts";
import { resolveParent } from "../resolve/groups.ts";
import { ORGANIZATION } from "../resolve/kinds.ts";
import type { usageDefinition } from "./commands.ts";

/** The totals of a group. */
const TOTALS: readonly Column<RegistryUsage>[] = [
  { header: "Stored", value: ({ bytes }) => bytes, short: ({ bytes }) => sizeText(bytes) },
  {
    header: "Pushed",
    value: ({ pushedBytes }) => pushedBytes,
    short: ({ pushedBytes }) => sizeText(pushedBytes),
  },
  { header: "Blobs and manifests", value: ({ contents }) => contents, wide: true },
  { header: "Repos", value: ({ repos }) => repos },
  { header: "Tags", value: ({ tags }) => tags },
];

export const run: Run<typeof usageDefinition> = async (context, { group, days }) => {
  if (group === undefined) return listOrganizations(context);
  const { uid } = await resolveParent(context, group);
  const usage = await usageOf(context, uid, days);
  await context.out.one(usage, sheetOf(usage), { id: ({ groupUid }) => groupUid });
};

async function usageOf(context: Context, groupUid: string, days: number): Promise<RegistryUsage> {
  const { registryUsage } = await context.client();
  return registryUsage.get({ groupUid, days }, { signal: context.signal });
}

/** All organizations, by name. */
async function listOrganizations(context: Context): Promise<void> {
  const { groups } = await context.client();
  const { signal } = context;
  const names = new Map<string, string>();
  const usages = await context.progress("reading usage", async () => {
    const found: RegistryUsage[] = [];
    for await (const { uid, name } of groups.listAll(ORGANIZATION.filter ?? {}, { signal })) {
      names.set(uid, name);
      found.push(await usageOf(context, uid, 0));
    }
    return found;
  });
  const columns: readonly Column<RegistryUsage>[] = [
    { header: "Organization", value: ({ groupUid }) => names.get(groupUid) },
    ...TOTALS,
    { header: "Quota", value: ({ quotas }) => quotas.map(quotaText) },
  ];
  const id = ({ groupUid }: RegistryUsage) => groupUid;
  await context.out.list(usages, columns, { id, what: "organizations" });
}

/** One line for each total, quota, folder and repo. */
function sheetOf(usage: RegistryUsage): Column<RegistryUsage>[] {
  const totals = TOTALS.map(({ header, value, short = value }) => ({ header, value: short }));
  const most = [...usage.largestRepos, ...usage.largestFolders].map(({ bytes }) => bytes);
  const largest = most.reduce((a, b) => (a > b ? a : b), 0n);
  const line = (kind: string) => {
    return ({ path, bytes }: { readonly path: string; readonly bytes: bigint }) => ({
      header: `${kind} ${path}`,
      value: () => `${bar(bytes, largest)} ${sizeText(bytes)}`,
    });
  };
  return [
    ...totals,
    { header: "Stored by day", value: ({ days }) => history(days.map(({ bytes }) => bytes)) },
    ...usage.quotas.map((quota) => ({
      header: `Quota ${QUOTAS[quota.quota] ?? quota.quota} of ${quota.groupPath}`,
      value: () => quotaText(quota),
    })),
    ...usage.largestFolders.map(line("Folder")),
    ...usage.largestRepos.map(line("Repo")),
  ];
}

const QUOTAS: Readonly<Record<string, string>> = { registry_mb: "bytes" };

/** `██████████░░░░░░░░░░ 5.2 GB of 10.0 GB (52%)` */
function quotaText({ quota, used, allowed }: QuotaUsage): string {
  const text = quota === "registry_mb" ? sizeText : String;
  const percent = allowed === 0n ? 100 : Number((used * 100n) / allowed);
  return `${bar(used, allowed)} ${text(used)} of ${text(allowed)} (${percent}%)`;
}

const BAR_LENGTH = 20;

function bar(part: bigint, whole: bigint): string {
  const share = whole === 0n ? 1 : Math.min(1, Number(part) / Number(whole));
  const filled = Math.round(share * BAR_LENGTH);
  return "█".repeat(filled) + "░".repeat(BAR_LENGTH - filled);
}

const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

function history(bytes: readonly bigint[]): string {
  if (bytes.length === 0) return "";
  const most = Math.max(...bytes.map(Number), 1);
  const bars = bytes.map((one) => LEVELS[Math.round((Number(one) / most) * (LEVELS.length - 1))]);
  return `${sizeText(bytes[0] ?? 0n)} ${bars.join("")} ${sizeText(bytes.at(-1) ?? 0n)}`;
}
