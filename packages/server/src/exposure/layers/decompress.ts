import { createReadStream, type ReadStream } from "node:fs";
import type { Readable, Transform } from "node:stream";
import { constants, createGunzip, createZstdDecompress } from "node:zlib";
import { LayerFailure } from "./failure.ts";

/** Bytes that are read and decompressed at a time. */
const CHUNK_BYTES = 256 * 1024;

/** The memory of the largest window that registries accept: 128 MiB. */
const MAX_WINDOW_LOG = 27;

const MAGIC_BYTES = 4;

/** Layers are what their first bytes say: the media type often lacks the compression. */
const FORMATS: readonly (readonly [
  magic: string,
  create: () => Transform,
  code: "bad_gzip" | "bad_zstd",
])[] = [
  ["1f8b", () => createGunzip({ chunkSize: CHUNK_BYTES }), "bad_gzip"],
  [
    "28b52ffd",
    () =>
      createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
      }),
    "bad_zstd",
  ],
];

/** The decompressed bytes of an open file or a pipe, which is closed at the end. */
export async function* decompress(descriptor: number): AsyncGenerator<Buffer> {
  const source = createReadStream("", { fd: descriptor, highWaterMark: CHUNK_BYTES });
  try {
    const magic = (await magicOf(source)).toString("hex");
    const format = FORMATS.find(([bytes]) => magic.startsWith(bytes));
    if (format === undefined) return yield* source as AsyncIterable<Buffer>;
    const [, create, code] = format;
    const decompressor = create();
    source.on("error", (error) => decompressor.destroy(error));
    yield* chunksOf(source.pipe(decompressor), code);
  } finally {
    source.destroy();
  }
}

async function* chunksOf(stream: Readable, code: "bad_gzip" | "bad_zstd"): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw new LayerFailure(code, (error as Error).message);
  }
}

/** The first bytes, which stay in the stream. */
async function magicOf(stream: ReadStream): Promise<Buffer> {
  for (;;) {
    const head: Buffer | null = stream.read(MAGIC_BYTES);
    if (head !== null) {
      stream.unshift(head);
      return head;
    }
    if (stream.readableEnded) return Buffer.alloc(0);
    await new Promise<void>((resolve, reject) => {
      stream.once("readable", resolve).once("end", resolve).once("error", reject);
    });
  }
}
