import { WharfError } from "../../lib/errors.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http/http.ts";
import type { ServeDeps } from "./deps.ts";

/** Bytes of a body between two checks. */
export const SPACE_CHECK_BYTES = 64 * 1024 * 1024;

export type SpaceDeps = Pick<ServeDeps, "storage" | "minFreeBytes" | "databaseFreeBytes">;

/** Refuses what would leave too little of the disks of the content and of the database. */
export async function checkSpace(
  { storage, minFreeBytes, databaseFreeBytes }: SpaceDeps,
  request?: Pick<HttpRequest, "headers">,
): Promise<void> {
  const length = Number(request?.headers["content-length"] ?? 0);
  if ((await storage.freeBytes()) - length < minFreeBytes) throw diskFull();
  if ((await databaseFreeBytes()) < minFreeBytes) throw diskFull();
}

/** Bytes that others have written since the check. */
export function isDiskFull(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}

export function diskFull(): HttpFault {
  const text = "the disk of the registry is full: pushes are refused, pulls go on";
  return new HttpFault(new WharfError("RESOURCE_EXHAUSTED", text), 507);
}
