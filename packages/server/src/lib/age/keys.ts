import { bech32 } from "@scure/base";

/**
 * X25519 keys of age as text: recipients are public keys, identities private ones. Without the library of the format,
 * whose loading every command would wait for: this validates a setting.
 */

const KEY_BYTES = 32;

/** The recipient, `age1…`, in the case that the library expects; undefined if it is not one. */
export function readRecipient(text: string): string | undefined {
  return isKey("age", text) ? text.toLowerCase() : undefined;
}

/** The identity, `AGE-SECRET-KEY-1…`; undefined if it is not one. */
export function readIdentity(text: string): string | undefined {
  return isKey("age-secret-key-", text) ? text.toUpperCase() : undefined;
}

/** Whether the text is a key with this prefix and a correct checksum. */
function isKey(expected: string, text: string): boolean {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text);
    return prefix === expected && bytes.length === KEY_BYTES;
  } catch {
    return false;
  }
}
