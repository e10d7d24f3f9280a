/** Archives in a browser: tar, gzip and zip. Their names are only displayed. */

/** What an archive may unpack to; the command takes more. */
const MAX_EXPANDED_BYTES = 512 * 1024 ** 2;

/** An archive that is damaged, or larger than a browser can take. */
export class ArchiveError extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

export interface Entry {
  readonly name: string;
  readonly size: number;
  content(): Promise<Blob>;
}

export type Kind = "zip" | "gzip" | "zstd" | "tar" | "document";

/** The first bytes that tell archives from documents. */
const HEAD_BYTES = 512;

export async function kindOf(blob: Blob): Promise<Kind> {
  const head = await bytesOf(blob.slice(0, HEAD_BYTES));
  const begins = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  if (begins(0x50, 0x4b, 3, 4) || begins(0x50, 0x4b, 5, 6)) return "zip";
  if (begins(0x1f, 0x8b)) return "gzip";
  if (begins(0x28, 0xb5, 0x2f, 0xfd)) return "zstd";
  return textAt(head, 257, 5) === "ustar" ? "tar" : "document";
}

/** Unpacks gzip. */
export async function gunzip(blob: Blob): Promise<Blob> {
  return inflated(blob, "gzip");
}

const BLOCK_BYTES = 512;

/** The files of a tar archive. Links and devices are left out. */
export async function* tarEntries(blob: Blob): AsyncGenerator<Entry> {
  let longName = "";
  for (let at = 0; at + BLOCK_BYTES <= blob.size; ) {
    const header = await bytesOf(blob.slice(at, at + BLOCK_BYTES));
    if (header[0] === 0) return;
    const size = Number.parseInt(textAt(header, 124, 12).trim() || "0", 8);
    if (Number.isNaN(size)) throw new ArchiveError("a size is not a number");
    const start = at + BLOCK_BYTES;
    const content = blob.slice(start, start + size);
    const type = textAt(header, 156, 1);
    const prefix = textAt(header, 345, 155);
    const name = longName || (prefix === "" ? "" : `${prefix}/`) + textAt(header, 0, 100);
    longName = "";
    if (type === "L") longName = (await content.text()).replace(/\0.*$/s, "");
    else if (type === "x") longName = /^\d+ path=(.*)$/m.exec(await content.text())?.[1] ?? "";
    else if (type === "" || type === "0") yield { name, size, content: async () => content };
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
}

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;

/** The files of a zip archive, as its central directory lists them. */
export async function* zipEntries(blob: Blob): AsyncGenerator<Entry> {
  const tail = await bytesOf(blob.slice(-(END_BYTES + MAX_COMMENT_BYTES)));
  const end = lastIndexOf(tail, [0x50, 0x4b, 5, 6]);
  if (end < 0) throw new ArchiveError("it has no end");
  const summary = new DataView(tail.buffer, tail.byteOffset + end);
  const [length, offset] = [summary.getUint32(12, true), summary.getUint32(16, true)];
  if (offset === 0xffffffff) throw new ArchiveError("it is too large", true);
  const directory = await bytesOf(blob.slice(offset, offset + length));
  const view = new DataView(directory.buffer, directory.byteOffset, directory.length);
  for (let at = 0; at + 46 <= directory.length; ) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new ArchiveError("its list is damaged");
    const method = view.getUint16(at + 10, true);
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(directory.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (name.endsWith("/")) continue;
    yield { name, size, content: () => zipContent(blob, { method, packed, local }) };
  }
}

async function zipContent(
  blob: Blob,
  { method, packed, local }: { method: number; packed: number; local: number },
): Promise<Blob> {
  const header = new DataView((await bytesOf(blob.slice(local, local + 30))).buffer);
  if (header.byteLength < 30 || header.getUint32(0, true) !== 0x04034b50) {
    throw new ArchiveError("a file is damaged");
  }
  const start = local + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const content = blob.slice(start, start + packed);
  if (method === STORED) return content;
  if (method !== DEFLATED) throw new ArchiveError("a file is compressed in an unusual way");
  return inflated(content, "deflate-raw");
}

/** Unpacks a stream, whatever size it claims to have. */
async function inflated(blob: Blob, format: CompressionFormat): Promise<Blob> {
  let size = 0;
  const bounded = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MAX_EXPANDED_BYTES) controller.error(new ArchiveError("it is too large", true));
      else controller.enqueue(chunk);
    },
  });
  try {
    const stream = blob.stream().pipeThrough(new DecompressionStream(format));
    return await new Response(stream.pipeThrough(bounded)).blob();
  } catch (thrown) {
    if (size > MAX_EXPANDED_BYTES) throw new ArchiveError("it is too large", true);
    throw new ArchiveError((thrown as Error).message);
  }
}

export async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.arrayBuffer());
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return new TextDecoder().decode(bytes.subarray(at, at + length)).replace(/\0.*$/s, "");
}

function lastIndexOf(bytes: Uint8Array, wanted: readonly number[]): number {
  for (let at = bytes.length - END_BYTES; at >= 0; at--) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}
