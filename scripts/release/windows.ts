/** Offsets of the PE format: of the PE header's address, and from that header. */
const PE_ADDRESS = 0x3c;
const OPTIONAL_HEADER = 24;

/** The entry for certificates in the data directories of a 64-bit program. */
const CERTIFICATES = OPTIONAL_HEADER + 112 + 4 * 8;

/** The offset of the entry of a program for 64-bit Windows that says where its signature is, and how long. */
export function certificateEntry(program: Buffer): number {
  const header = program.readUInt32LE(PE_ADDRESS);
  const isPe = program.toString("latin1", header, header + 4) === "PE\0\0";
  if (!isPe || program.readUInt16LE(header + OPTIONAL_HEADER) !== 0x20b) {
    throw new Error("not a program for 64-bit Windows");
  }
  return header + CERTIFICATES;
}

/** A program for Windows without its Authenticode signature, which is at its end. */
export function withoutSignature(program: Buffer): Buffer {
  const entry = certificateEntry(program);
  const offset = program.readUInt32LE(entry);
  const size = program.readUInt32LE(entry + 4);
  if (size === 0) return program;
  if (offset + size !== program.length) throw new Error("the signature is not at the end");
  const unsigned = Buffer.from(program.subarray(0, offset));
  unsigned.fill(0, entry, entry + 8);
  return unsigned;
}
