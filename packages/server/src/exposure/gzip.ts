import { promisify } from "node:util";
import { zlib } from "../lib/runtime/lazy-builtins.ts";

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses at most so many bytes. */
export async function gunzip(
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array | "invalid" | "too large"> {
  try {
    return await promisify(zlib().gunzip)(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ERR_BUFFER_TOO_LARGE" ? "too large" : "invalid";
  }
}
