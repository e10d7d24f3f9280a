import type { UseQueryResult } from "@tanstack/react-query";
import type { ImageInventoryJson, PlatformInventoryJson } from "@wharf/contract/messages";
import { useEffect } from "react";
import { api, useRead } from "../../../api/client.ts";
import { useListSearch } from "../../../app/location.ts";

/** Packages of a pushed image are read within seconds. */
const POLL_MS = 2_000;

/** The inventory of an image, polled while its packages are being read. */
export function useInventory(
  repo: string,
  digest: string,
): UseQueryResult<ImageInventoryJson, Error> {
  const inventory = useRead(api.inventory.getImage, { repoUid: repo, digest });
  const { data, refetch } = inventory;
  const isWaiting = data?.platforms?.some(isBeingRead) ?? false;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => refetch(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);
  return inventory;
}

function isBeingRead({ state }: PlatformInventoryJson): boolean {
  return state === "INVENTORY_STATE_WAITING";
}

/** The platform of an index that the URL names; by default the first. */
export function usePlatform(
  platforms: readonly PlatformInventoryJson[] = [],
): PlatformInventoryJson | undefined {
  const [{ platform }] = useListSearch();
  return platforms.find((one) => one.platform === platform) ?? platforms[0];
}
