import { wharfError } from "@wharf/client";
import type { Run } from "../command/types.ts";
import type { healthDefinition } from "./commands.ts";

const TIMEOUT_MS = 5_000;

/** Quiet when all is well: orchestrators run it every few seconds, and keep its output. */
export const run: Run<typeof healthDefinition> = async ({ settings, signal }, { live }) => {
  const url = `${settings.api}${live ? "/healthz" : "/readyz"}`;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { redirect: "error", signal: limit }).catch((error: Error) => {
    signal.throwIfAborted();
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw wharfError("UNAVAILABLE", `${url} cannot be reached: ${message}`);
  });
  const text = (await response.text()).trim();
  if (!response.ok) throw wharfError("UNAVAILABLE", `${url} returned ${response.status}: ${text}`);
};
