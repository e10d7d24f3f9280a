import { decodeBech32 } from "./bech32.ts";

/** What recipients begin with. */
export const RECIPIENT = "age";

export const KEY_BYTES = 32;

/**
 * The bytes of a recipient, `age1…`; undefined if it is not one. Without node:crypto, whose loading every command would
 * wait for: this validates a setting.
 */
export function recipientBytes(text: string): Buffer | undefined {
  const bytes = decodeBech32(RECIPIENT, text);
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}
