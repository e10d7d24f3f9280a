/** Reads a layer for its packages, or only decompresses it; returns the CPU milliseconds of it, those of child processes included. */
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { LayerReader } from "@wharf/server/exposure/layers/read-layers.ts";
import { ChildProgram } from "@wharf/server/lib/child-program.ts";
import { isBuilt } from "../built.ts";
import { doJobs } from "../program.ts";

export interface LayerJob {
  readonly file: string;
  readonly how: "read" | "decompress";
}

export interface LayerWork {
  readonly cpuMs: number;
  readonly packages: number;
}

const BUILT = join(import.meta.dirname, "../../packages/cli/dist/layer-process.cjs");
const CHUNK_BYTES = 256 * 1024;

const reader = isBuilt() ? new LayerReader(new ChildProgram(BUILT)) : new LayerReader();

/** Of this process and of those that it has started and that have ended. */
function cpuMs(): number {
  const after = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(after[at]), 0) * 10;
}

async function decompress(file: string): Promise<number> {
  let bytes = 0;
  const expanded = createReadStream(file, { highWaterMark: CHUNK_BYTES }).pipe(
    createGunzip({ chunkSize: CHUNK_BYTES }),
  );
  for await (const chunk of expanded) bytes += chunk.length;
  if (bytes === 0) throw new Error("an empty layer");
  return 0;
}

async function read(file: string): Promise<number> {
  const mediaType = "application/vnd.oci.image.layer.v1.tar+gzip";
  const found = await reader.read([
    { digest: "sha256:layer", mediaType, content: async () => createReadStream(file) },
  ]);
  if (found.outcome !== "read") throw new Error(`${found.code}: ${found.message}`);
  return found.packages.length;
}

doJobs(async ({ file, how }: LayerJob): Promise<LayerWork> => {
  const before = cpuMs();
  const packages = await (how === "read" ? read(file) : decompress(file));
  return { cpuMs: cpuMs() - before, packages };
});
