import { Readable } from "node:stream";
import { type Header, pack } from "tar-stream";
import type { ReadInventory } from "../inventory.ts";
import { LAYER_LIMITS } from "../limits.ts";
import { LayerReader, type LayerReaderOptions, type LayerSource } from "../read-layers.ts";
import { readTask } from "../read-task.ts";

export const TAR = "application/vnd.oci.image.layer.v1.tar";

/** An entry of a layer: the content of a file, or the fields of its header. */
export type LayerEntry = string | Buffer | (Partial<Header> & { readonly content?: Buffer });

/** A tar of entries by path, in their order. */
export async function layerOf(
  entries: Readonly<Record<string, LayerEntry>> | readonly (readonly [string, LayerEntry])[],
): Promise<Buffer> {
  const tar = pack();
  for (const [name, entry] of Array.isArray(entries) ? entries : Object.entries(entries)) {
    const isContent = typeof entry === "string" || Buffer.isBuffer(entry);
    const { content, ...header } = isContent ? { content: Buffer.from(entry) } : entry;
    const type = name.endsWith("/") ? "directory" : "file";
    tar.entry({ name, type, ...header }, content);
  }
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as unknown as AsyncIterable<Buffer>));
}

/** A link to a path. */
export const symlink = (linkname: string) => ({ type: "symlink", linkname }) as const;

/** A layer with bytes; its digest is its number. */
export function sourceOf(bytes: Buffer, index: number, mediaType = TAR): LayerSource {
  return {
    digest: `sha256:${index}`,
    mediaType,
    content: async () => Readable.from([bytes], { objectMode: false }),
  };
}

/** The answer of a layer process for layers of bytes. */
export function readBytes(layers: readonly Buffer[], options: LayerReaderOptions = {}) {
  return new LayerReader().read(
    layers.map((bytes, index) => sourceOf(bytes, index)),
    options,
  );
}

/** The inventory of layers that can be read, without a process. */
export async function inventoryOf(...layers: readonly Buffer[]): Promise<ReadInventory> {
  const left = [...layers];
  const task = {
    layers: layers.map((_, index) => ({ digest: `sha256:${index}`, isForeign: false })),
    limits: LAYER_LIMITS,
    linked: [],
  };
  const inventory = await readTask(task, async function* () {
    yield left.shift() as Buffer;
  });
  if (inventory.outcome === "failed") throw new Error(`${inventory.code}: ${inventory.message}`);
  return inventory;
}

/** The package URLs in layers, without a process. */
export async function purlsOf(...layers: readonly Buffer[]): Promise<string[]> {
  return (await inventoryOf(...layers)).packages.map(({ purl }) => purl);
}
