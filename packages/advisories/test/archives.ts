import { crc32, deflateRawSync } from "node:zlib";
import { pack } from "tar-stream";

/** For tests: names and contents of files. */
export type Entries = readonly (readonly [name: string, contents: Uint8Array | string])[];

/** For tests: a tar of files and folders, with a link at its end. */
export async function tarOf(entries: Entries): Promise<Buffer> {
  const tar = pack();
  for (const [name, contents] of entries) {
    const type = name.endsWith("/") ? "directory" : "file";
    tar.entry({ name, type }, Buffer.from(contents));
  }
  tar.entry({ name: "link.json", type: "symlink", linkname: "/etc/passwd" });
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as unknown as AsyncIterable<Uint8Array>));
}

/** Wrong or unusual fields of a zip. */
export interface ZipOptions {
  /** A wrong size of each file. */
  readonly claimed?: number;
  readonly flags?: number;
  readonly attributes?: number;
  readonly checksum?: number;
  readonly method?: number;
  /** Sizes, offsets and counts are only in zip64 fields. */
  readonly isZip64?: boolean;
}

const LARGE_16 = 0xffff;
const LARGE_32 = 0xffffffff;

/** For tests: a zip as other programs write it, except for the options. */
export function zipOf(entries: Entries, options: ZipOptions = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, contents] of entries) {
    const bytes = Buffer.from(contents);
    const packed = deflateRawSync(bytes, { level: 1 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800 | (options.flags ?? 0), 2);
    fields.writeUInt16LE(options.method ?? 8, 4);
    fields.writeUInt32LE(options.checksum ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(options.claimed ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(options.attributes ?? 0, 6);
    rest.writeUInt32LE(offset, 10);
    const extra = options.isZip64 ? toZip64(fields, rest) : Buffer.alloc(0);
    const version = Buffer.from([20, 0]);
    directory.push(
      Buffer.concat([Buffer.from("PK\x01\x02"), version, fields, rest, Buffer.from(name), extra]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(options.isZip64 ? LARGE_16 : entries.length, 4);
  end.writeUInt16LE(options.isZip64 ? LARGE_16 : entries.length, 6);
  end.writeUInt32LE(options.isZip64 ? LARGE_32 : central.length, 8);
  end.writeUInt32LE(options.isZip64 ? LARGE_32 : offset, 12);
  const large = options.isZip64
    ? zip64End(entries.length, central.length, offset)
    : Buffer.alloc(0);
  return Buffer.concat([...locals, central, large, Buffer.from("PK\x05\x06"), end]);
}

/** Moves sizes and offset of a file into the zip64 extra field that it returns. */
function toZip64(fields: Buffer, rest: Buffer): Buffer {
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  extra.writeBigUInt64LE(BigInt(fields.readUInt32LE(18)), 4);
  extra.writeBigUInt64LE(BigInt(fields.readUInt32LE(14)), 12);
  extra.writeBigUInt64LE(BigInt(rest.readUInt32LE(10)), 20);
  fields.writeUInt32LE(LARGE_32, 14);
  fields.writeUInt32LE(LARGE_32, 18);
  fields.writeUInt16LE(extra.length, 24);
  rest.writeUInt32LE(LARGE_32, 10);
  return extra;
}

function zip64End(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(76);
  end.write("PK\x06\x06", 0, "latin1");
  end.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) end.writeBigUInt64LE(BigInt(count), at);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  // The locator of the record above.
  end.write("PK\x06\x07", 56, "latin1");
  end.writeBigUInt64LE(BigInt(offset + size), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
