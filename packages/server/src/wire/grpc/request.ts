/** Decodes and encodes the messages of unary calls, for gRPC and gRPC-Web. */

import { promisify } from "node:util";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { textFromBinary } from "../../rpc/binary-read.ts";
import type { Method, Methods } from "../../rpc/call.ts";
import { gunzip } from "../http/body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { COMPRESS_LEVEL } from "../limits.ts";
import type { Frame } from "./frame.ts";
import { COMPRESSED } from "./frame.ts";

/**
 * Shorter replies are not compressed: all gRPC clients accept gzip, and within a data center compression costs more
 * than it saves.
 */
const GRPC_COMPRESS_FROM_BYTES = 64 * 1024;

/** The bytes of the only message of a unary call. */
export function onlyPayload(
  frames: readonly Frame[],
  encoding: string | undefined,
  limit: number,
  context: Pick<RequestContext, "received">,
): Buffer | Promise<Buffer> {
  const frame = frames[0];
  if (frame === undefined || frames.length > 1) {
    throw new WharfError("UNIMPLEMENTED", "the method takes exactly one message");
  }
  return decompress(frame, encoding, limit, context);
}

/** The bytes of a message, decompressed. */
export function decompress(
  frame: Frame,
  encoding: string | undefined,
  limit: number,
  context: Pick<RequestContext, "received">,
): Buffer | Promise<Buffer> {
  if (encoding !== undefined && encoding !== "identity" && encoding !== "gzip") {
    const text = `grpc-encoding ${JSON.stringify(encoding)} is not supported: use identity or gzip`;
    throw new WharfError("UNIMPLEMENTED", text);
  }
  if (frame.flags === 0) return frame.payload;
  if (frame.flags !== COMPRESSED || encoding !== "gzip") {
    const description = "the message is marked as compressed, but grpc-encoding is not gzip";
    throw invalidArgument({ field: "", description });
  }
  return gunzip(frame.payload, limit, context);
}

/** Denies a call at the scope in its message, of which nothing else is decoded. */
export async function denyByMessage(
  methods: Methods,
  method: Method,
  context: RequestContext,
  bytes: Uint8Array,
): Promise<never> {
  const { desc, scope } = method;
  return methods.deny(method, context, textFromBinary(desc.input, bytes, scope?.path ?? []));
}

/** Whether to compress a reply of this size for a client that accepts these encodings. */
export function shouldCompress(size: number, accepted: string | string[] | undefined): boolean {
  return size >= GRPC_COMPRESS_FROM_BYTES && accepted?.includes("gzip") === true;
}

export function compress(bytes: Uint8Array): Promise<Buffer> {
  return promisify(zlib().gzip)(bytes, { level: COMPRESS_LEVEL });
}
