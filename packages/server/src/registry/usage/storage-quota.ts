import type { Catalog } from "../../engine/catalog.ts";
import { type GroupQuota, QUOTA_VIOLATION, quotasAt } from "../../engine/quotas.ts";
import { failedPrecondition, type WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  type ContentGrowth,
  hasContent,
  readContentTotals,
} from "../../store/tables/registry/content.ts";
import { bytesText } from "./bytes-text.ts";

/*
 * Quotas of bytes: a group counts each blob and manifest of the repos at and below it once. Content that it has already
 * is not refused, even if the operator has lowered the quota below what is used.
 */

export const MB = 1_000_000;

/**
 * Rejects a transaction by which a group has grown beyond its quota. The totals of a group are locked once they have
 * grown, so concurrent pushes cannot exceed it together.
 */
export async function enforceStorageQuota(
  { catalog }: { readonly catalog: Catalog },
  tx: Transaction,
  growth: ContentGrowth,
  added: number,
): Promise<void> {
  const lowest = growth.at(-1);
  if (lowest === undefined) return;
  for (const quota of await quotasAt(catalog, tx, lowest.scope, "registry_mb")) {
    const total = growth.find(({ scope }) => scope === quota.group);
    if (total === undefined || total.bytes <= quota.max * MB) continue;
    throw storageQuotaExceeded(quota, total.bytes - added, added);
  }
}

/** Bytes that a client wants to add. */
export interface Announced {
  readonly bytes: number;
  /** Undefined if the client has not named it yet. */
  readonly digest: string | undefined;
}

/**
 * Rejects bytes that no transaction would accept, before they are received: they do not fit, and nothing that the group
 * has can be the same content.
 */
export async function checkStorageQuota(
  catalog: Catalog,
  reader: Reader,
  repoOrGroup: string,
  announced: Announced,
): Promise<void> {
  const quotas = await quotasAt(catalog, reader, repoOrGroup, "registry_mb");
  if (quotas.length === 0) return;
  const groups = quotas.map(({ group }) => group);
  const totals = await readContentTotals(reader, groups);
  for (const quota of quotas) {
    const used = totals.get(quota.group)?.bytes ?? 0;
    if (used + announced.bytes <= quota.max * MB) continue;
    if (await hasContent(reader, quota.group, announced)) continue;
    throw storageQuotaExceeded(quota, used, announced.bytes);
  }
}

function storageQuotaExceeded(
  { group, path, max }: GroupQuota,
  used: number,
  added: number,
): WharfError {
  const description = `group ${JSON.stringify(path)} uses ${bytesText(used)} of its ${bytesText(max * MB)} in the registry, and this adds ${bytesText(added)}`;
  return failedPrecondition({ type: QUOTA_VIOLATION, subject: group, description });
}
