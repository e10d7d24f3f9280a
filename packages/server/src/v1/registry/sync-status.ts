import { registryV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, constant } from "../adapter.ts";

/** The progress of builds and copies, which clients of the public contract show: images are neither built nor copied. */
export function syncStatusMethods(): AdaptedMethod[] {
  const { getUpdateStatus, getSyncStatus, listSyncStatuses } = registryV1.Registry.method;
  return [constant(getUpdateStatus), constant(getSyncStatus), constant(listSyncStatuses)];
}
