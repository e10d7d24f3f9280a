/** Protobuf fields and gRPC frames as bytes, right and wrong. */
import { gzipSync } from "node:zlib";
import { frame } from "../client/raw-http2.ts";
import { type Framing, fill, type Marks, type WireField } from "./request.ts";

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Small as sent, more than any message may be when unpacked. */
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}

/**
 * The bytes of a message.
 *
 * @example encodeFields([[1, "text", "<own.group>"]], marks)
 */
export function encodeFields(fields: readonly WireField[], marks: Marks): Buffer {
  return Buffer.concat(fields.map((field) => encodeField(field, marks)));
}

function encodeField([no, kind, value]: WireField, marks: Marks): Buffer {
  const head = (type: number) => varint(BigInt(no * 8 + type));
  switch (kind) {
    case "varint":
      return Buffer.concat([head(0), varint(BigInt(value))]);
    case "fixed64":
      return Buffer.concat([head(1), Buffer.from(value, "hex").reverse()]);
    case "fixed32":
      return Buffer.concat([head(5), Buffer.from(value, "hex").reverse()]);
    case "raw":
      return Buffer.from(value, "hex");
    default: {
      const bytes =
        kind === "message"
          ? encodeFields(value, marks)
          : kind === "hex"
            ? Buffer.from(value, "hex")
            : Buffer.from(fill(value, marks));
      return Buffer.concat([head(2), varint(BigInt(bytes.length)), bytes]);
    }
  }
}

/**
 * Puts a message into a frame of the given form.
 *
 * @example framed("plain", Buffer.from("0a00", "hex"))
 */
export function framed(framing: Framing, bytes: Buffer): Buffer {
  return FORMS[framing](bytes);
}

const FORMS: Readonly<Record<Framing, (bytes: Buffer) => Buffer>> = {
  plain: (bytes) => frame(bytes),
  longer: (bytes) => frame(bytes, 0, bytes.length + 1),
  shorter: (bytes) => frame(bytes, 0, Math.max(0, bytes.length - 1)),
  endless: (bytes) => frame(bytes, 0, 0xffff_ffff),
  oversized: (bytes) => frame(bytes, 0, MAX_MESSAGE_BYTES + 1),
  "flag only": (bytes) => frame(bytes, 1),
  gzip: (bytes) => frame(gzipSync(bytes), 1),
  "torn gzip": (bytes) => frame(gzipSync(bytes).subarray(0, 12), 1),
  bomb: () => frame(BOMB, 1),
  "reserved flag": (bytes) => frame(bytes, 2),
  "trailer flag": (bytes) => frame(bytes, 0x80),
  twice: (bytes) => Buffer.concat([frame(bytes), frame(bytes)]),
  tail: (bytes) => Buffer.concat([frame(bytes), Buffer.alloc(3)]),
  nothing: () => Buffer.alloc(0),
  "half a prefix": () => Buffer.alloc(4),
  "no prefix": (bytes) => bytes,
};
