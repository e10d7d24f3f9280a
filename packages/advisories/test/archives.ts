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
}

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
    const version = Buffer.from([20, 0]);
    directory.push(
      Buffer.concat([Buffer.from("PK\x01\x02"), version, fields, rest, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from("PK\x05\x06"), end]);
}
