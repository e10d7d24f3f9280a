/** Bech32 (BIP 173), in which age writes its keys. */

const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;
const CHECKSUM_LENGTH = 6;

export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const values = regroup(bytes, 8, 5, true) as number[];
  const checksum = polymod([...expand(prefix), ...values, 0, 0, 0, 0, 0, 0]) ^ 1;
  for (let at = 0; at < CHECKSUM_LENGTH; at++)
    values.push((checksum >>> (5 * (CHECKSUM_LENGTH - 1 - at))) & 31);
  return `${prefix}1${values.map((value) => ALPHABET[value]).join("")}`;
}

/** The bytes of a text with this prefix, in lower or upper case; undefined if it is not valid. */
export function decodeBech32(prefix: string, text: string): Buffer | undefined {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return undefined;
  const lower = text.toLowerCase();
  if (!lower.startsWith(`${prefix}1`)) return undefined;
  const values = [...lower.slice(prefix.length + 1)].map((letter) => ALPHABET.indexOf(letter));
  if (values.length < CHECKSUM_LENGTH || values.includes(-1)) return undefined;
  if (polymod([...expand(prefix), ...values]) !== 1) return undefined;
  const bytes = regroup(values.slice(0, -CHECKSUM_LENGTH), 5, 8, false);
  return bytes && Buffer.from(bytes);
}

function expand(prefix: string): number[] {
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function polymod(values: readonly number[]): number {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of GENERATOR.entries()) if ((top >>> bit) & 1) checksum ^= term;
  }
  return checksum >>> 0;
}

/** Regroups bits; undefined if the bits left over are not zero, or a whole group. */
function regroup(
  values: Iterable<number>,
  from: number,
  to: number,
  pads: boolean,
): number[] | undefined {
  const groups: number[] = [];
  let bits = 0;
  let pending = 0;
  for (const value of values) {
    pending = (pending << from) | value;
    bits += from;
    while (bits >= to) {
      bits -= to;
      groups.push((pending >>> bits) & ((1 << to) - 1));
    }
    pending &= (1 << bits) - 1;
  }
  if (pads && bits > 0) groups.push((pending << (to - bits)) & ((1 << to) - 1));
  return !pads && (bits >= from || pending !== 0) ? undefined : groups;
}
