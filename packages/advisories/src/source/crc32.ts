/** The remainders of all bytes for the reflected polynomial of zip and gzip. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  }
  return remainder;
});

/**
 * The CRC-32 of bytes, continued from that of earlier ones. Own code because node:zlib is not in browsers.
 *
 * @example crc32(second, crc32(first))
 */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let remainder = ~previous;
  for (const byte of bytes) {
    remainder = (TABLE[(remainder ^ byte) & 0xff] as number) ^ (remainder >>> 8);
  }
  return ~remainder >>> 0;
}
