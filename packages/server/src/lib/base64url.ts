const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Whether a text is the one spelling of the bytes that it encodes: base64url without padding, with
 * nothing in between, and with zeros in the bits of the last character that no byte has. Decoders are
 * more lenient, so without this check several texts are the same token. The empty text is none.
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
