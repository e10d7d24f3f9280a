/** gRPC puts a flag and the length before every message. */
const PREFIX_BYTES = 5;

/**
 * A message as it goes over the wire, not packed.
 *
 * @example stream.end(framed(toBinary(GetGroupRequestSchema, request)));
 */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(PREFIX_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/**
 * The message of an answer that holds exactly one.
 *
 * @example const group = fromBinary(GroupSchema, unframed(bytes));
 */
export function unframed(frame: Buffer): Buffer {
  const message = frame.subarray(PREFIX_BYTES);
  if (frame[0] !== 0 || frame.readUInt32BE(1) !== message.length) {
    throw new Error("the answer is not one plain message");
  }
  return message;
}
