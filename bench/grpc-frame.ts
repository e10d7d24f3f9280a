/** The gRPC message prefix: a flag and the length. */
const PREFIX_BYTES = 5;

/** An uncompressed message with its prefix. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(PREFIX_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** The message of a unary response. */
export function unframed(frame: Buffer): Buffer {
  const message = frame.subarray(PREFIX_BYTES);
  if (frame[0] !== 0 || frame.readUInt32BE(1) !== message.length) {
    throw new Error("the response is not one uncompressed message");
  }
  return message;
}
