/** What unary calls share between gRPC and gRPC-Web: from frames to a message, from reply to frame. */

import { promisify } from "node:util";
import type { Message } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import { zlib } from "../../lib/lazy-builtins.ts";
import type { Method } from "../../rpc/call.ts";
import { unzip } from "../body.ts";
import { COMPRESS_LEVEL } from "../limits.ts";
import type { Frame } from "./frame.ts";
import { COMPRESSED } from "./frame.ts";

/**
 * Replies below this are not packed: every gRPC client says it accepts gzip, whatever its network,
 * and within a data centre packing costs more than it saves.
 */
const GRPC_COMPRESS_FROM_BYTES = 64 * 1024;

/** The bytes of the one message a unary call has. */
export function onlyPayload(
  frames: readonly Frame[],
  encoding: string | undefined,
  limit: number,
): Buffer | Promise<Buffer> {
  const frame = frames[0];
  if (frame === undefined || frames.length > 1) {
    throw new WharfError("UNIMPLEMENTED", "the method takes exactly one message");
  }
  return unpack(frame, encoding, limit);
}

/** The bytes of a message, unpacked if need be. */
export function unpack(
  frame: Frame,
  encoding: string | undefined,
  limit: number,
): Buffer | Promise<Buffer> {
  if (encoding !== undefined && encoding !== "identity" && encoding !== "gzip") {
    const text = `grpc-encoding ${JSON.stringify(encoding)} is not known; identity and gzip are`;
    throw new WharfError("UNIMPLEMENTED", text);
  }
  if (frame.flags === 0) return frame.payload;
  if (frame.flags !== COMPRESSED || encoding !== "gzip") {
    const description = "the message has flags that its headers do not explain";
    throw invalidArgument({ field: "", description });
  }
  return unzip(frame.payload, limit);
}

export function decode(method: Method, bytes: Uint8Array): Message {
  try {
    return fromBinary(method.desc.input, bytes, { readUnknownFields: false });
  } catch {
    const description = `the message is not a valid ${method.desc.input.typeName}`;
    throw invalidArgument({ field: "", description });
  }
}

/** True when a reply of this size should be packed for a client that accepts this. */
export function shouldPack(size: number, accepted: string | string[] | undefined): boolean {
  return size >= GRPC_COMPRESS_FROM_BYTES && accepted?.includes("gzip") === true;
}

export function pack(bytes: Uint8Array): Promise<Buffer> {
  return promisify(zlib().gzip)(bytes, { level: COMPRESS_LEVEL });
}
