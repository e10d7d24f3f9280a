import { crc32, deflateRawSync } from "node:zlib";
import { pack } from "tar-stream";

/** For tests: names of files and what is in them. */
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

/** What a zip says that is not so, or is odd. */
export interface Oddities {
  /** The size of each file, which is another. */
  readonly claimed?: number;
  readonly flags?: number;
  readonly attributes?: number;
  readonly checksum?: number;
  readonly method?: number;
  /** Sizes, places and numbers stand in the fields of zip64 alone. */
  readonly isZip64?: boolean;
}

const LARGE_16 = 0xffff;
const LARGE_32 = 0xffffffff;

/** For tests: a zip as other programs write it, but for what is odd about it. */
export function zipOf(entries: Entries, odd: Oddities = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, contents] of entries) {
    const bytes = Buffer.from(contents);
    const packed = deflateRawSync(bytes, { level: 1 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800 | (odd.flags ?? 0), 2);
    fields.writeUInt16LE(odd.method ?? 8, 4);
    fields.writeUInt32LE(odd.checksum ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(odd.claimed ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(odd.attributes ?? 0, 6);
    rest.writeUInt32LE(offset, 10);
    const extra = odd.isZip64 ? toZip64(fields, rest) : Buffer.alloc(0);
    const version = Buffer.from([20, 0]);
    directory.push(
      Buffer.concat([Buffer.from("PK\x01\x02"), version, fields, rest, Buffer.from(name), extra]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(odd.isZip64 ? LARGE_16 : entries.length, 4);
  end.writeUInt16LE(odd.isZip64 ? LARGE_16 : entries.length, 6);
  end.writeUInt32LE(odd.isZip64 ? LARGE_32 : central.length, 8);
  end.writeUInt32LE(odd.isZip64 ? LARGE_32 : offset, 12);
  const large = odd.isZip64 ? zip64End(entries.length, central.length, offset) : Buffer.alloc(0);
  return Buffer.concat([...locals, central, large, Buffer.from("PK\x05\x06"), end]);
}

/** Moves the sizes and the place of a file, which the last two have, into the field that it answers. */
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
  // Where the record above is.
  end.write("PK\x06\x07", 56, "latin1");
  end.writeBigUInt64LE(BigInt(offset + size), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
