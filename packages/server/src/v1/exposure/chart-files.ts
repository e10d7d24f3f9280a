import { promisify } from "node:util";
import { TarReader } from "../../exposure/layers/tar/tar-reader.ts";
import { failedPrecondition } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";

/** Bytes of a chart, compressed and expanded: Helm stores charts in secrets of one megabyte. */
export const MAX_CHART_BYTES = 8 * 1024 * 1024;
const MAX_EXPANDED_BYTES = 32 * 1024 * 1024;

/** Bytes of one file of a chart. */
const MAX_FILE_BYTES = 1024 * 1024;

const FILES = ["Chart.yaml", "values.yaml", "CHANGELOG.md"];

/** Files of a chart by name, of those that are shown; of dependencies none. */
export async function readChartFiles(archive: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const bytes = await expanded(archive);
  const found = new Map<string, Buffer[]>();
  const reader = new TarReader(({ type, path, size }) => {
    const [, name = ""] = /^(?:\.\/)?[^/]+\/([^/]+)$/.exec(path) ?? [];
    if (type !== "file" || !FILES.includes(name) || size > MAX_FILE_BYTES) return undefined;
    const parts: Buffer[] = [];
    found.set(name, parts);
    return { write: (part) => parts.push(Buffer.from(part)), end: () => {} };
  });
  try {
    reader.push(bytes);
    reader.finish();
  } catch {
    throw invalidChart("is not a tar archive");
  }
  return new Map([...found].map(([name, parts]) => [name, Buffer.concat(parts).toString("utf8")]));
}

async function expanded(archive: Uint8Array): Promise<Buffer> {
  try {
    return await promisify(zlib().gunzip)(archive, { maxOutputLength: MAX_EXPANDED_BYTES });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw invalidChart(
      isLarge ? `has more than ${MAX_EXPANDED_BYTES} bytes` : "is not compressed with gzip",
    );
  }
}

export function invalidChart(why: string) {
  return failedPrecondition({ type: "CHART_INVALID", description: `the chart ${why}` });
}
