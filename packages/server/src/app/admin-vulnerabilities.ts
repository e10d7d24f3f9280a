import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { ConfigError, type Settings } from "../config/settings.ts";
import { storeEpss } from "../exposure/sources/epss.ts";
import { SourceError } from "../exposure/sources/errors.ts";
import { storeKev } from "../exposure/sources/kev.ts";
import { type ImportResult, SourceTally } from "../exposure/sources/result.ts";
import { withStore } from "./admin-store.ts";

/** The largest catalog of KEV: a hundred times that of 2026. */
const MAX_CATALOG_BYTES = 128 * 1024 * 1024;

/** The result of an import of facts about vulnerabilities. */
export interface FactsImport extends ImportResult {
  readonly kind: "KEV" | "EPSS";
}

/**
 * Imports a file of CISA (KEV) or FIRST (EPSS), for servers without access to the Internet. A file that is neither, or
 * not complete, changes nothing.
 */
export function importFacts(settings: Settings, path: string): Promise<FactsImport> {
  return withStore(settings, async (store) => {
    const tally = new SourceTally();
    const target = { store, tally, signal: new AbortController().signal };
    try {
      const catalog = await catalogIn(path);
      if (catalog !== undefined) await storeKev(target, catalog);
      else await storeEpss(target, { stream: () => createReadStream(path) });
      const { records, changed, rejected, rejections } = tally;
      const kind = catalog === undefined ? "EPSS" : "KEV";
      return { kind, records, changed, rejected, rejections };
    } catch (error) {
      if (error instanceof SourceError) throw new ConfigError(`${path}: ${error.message}`);
      throw error;
    }
  });
}

/** The JSON of a file that begins as an object does; undefined for others. */
async function catalogIn(path: string): Promise<unknown> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be read: ${error.code}`);
  });
  try {
    const head = Buffer.alloc(64);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    if (!/^\s*\{/.test(head.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "")))
      return undefined;
    if ((await file.stat()).size > MAX_CATALOG_BYTES) {
      throw new SourceError("TOO_LARGE", `it has more than ${MAX_CATALOG_BYTES} bytes`);
    }
    const bytes = Buffer.alloc((await file.stat()).size);
    await file.read(bytes, 0, bytes.length, 0);
    return JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new SourceError("INVALID_DATA", "it is not JSON, or not complete");
    }
    throw error;
  } finally {
    await file.close();
  }
}
