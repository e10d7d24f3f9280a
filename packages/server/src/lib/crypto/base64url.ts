const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Whether a text is canonical base64url: without padding or other characters, and with zeros in the unused
 * bits of the last character. Decoders are more lenient, so without this check several texts would be the
 * same token. The empty text is not canonical.
 */
export function isCanonicalBase64url(text: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return false;
  const last = ALPHABET.indexOf(text.at(-1) as string);
  switch (text.length % 4) {
    case 1:
      return false;
    case 2:
      return (last & 0b1111) === 0;
    case 3:
      return (last & 0b11) === 0;
    default:
      return true;
  }
}
