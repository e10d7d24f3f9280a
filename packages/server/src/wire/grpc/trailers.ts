import type { WharfError } from "../../lib/errors.ts";
import { statusBinary } from "../http/status.ts";

export interface Trailers {
  readonly "grpc-status": string;
  readonly "grpc-message"?: string;
  readonly "grpc-status-details-bin"?: string;
  /** In seconds, as over HTTP. */
  readonly "retry-after"?: string;
}

export const OK_TRAILERS: Trailers = { "grpc-status": "0" };

/** Longer details are dropped: clients reject header lists of 8 KiB, and would lose the code as well. */
const MAX_DETAILS_BYTES = 4 * 1024;
const MAX_MESSAGE_BYTES = 1024;

/** The trailers of a failed call. */
export function errorTrailers(error: WharfError, domain: string): Trailers {
  const details = statusBinary(error, domain);
  const trailers = {
    "grpc-status": String(error.number),
    "grpc-message": encodeMessage(error.message),
    ...(error.retryAfterSeconds === undefined
      ? undefined
      : { "retry-after": String(error.retryAfterSeconds) }),
  };
  if (details.length > MAX_DETAILS_BYTES) return trailers;
  // Without padding, as the gRPC protocol requires of senders.
  const base64 = Buffer.from(details).toString("base64").replace(/=+$/, "");
  return { ...trailers, "grpc-status-details-bin": base64 };
}

/** Percent-encodes `%` and bytes outside printable ASCII. */
function encodeMessage(text: string): string {
  const short = text.length > MAX_MESSAGE_BYTES ? `${text.slice(0, MAX_MESSAGE_BYTES)}…` : text;
  if (/^[ -$&-~]*$/.test(short)) return short;
  let encoded = "";
  for (const byte of Buffer.from(short)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    if (plain) encoded += String.fromCharCode(byte);
    else encoded += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
