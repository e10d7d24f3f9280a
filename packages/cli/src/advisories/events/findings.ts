import { usageError } from "../../errors.ts";

/** What led to an event, as it is sent: JSON that is what it says. */
export function jsonOf(text: string): Uint8Array<ArrayBuffer> {
  try {
    JSON.parse(text);
  } catch {
    throw usageError("--findings must name a file of JSON");
  }
  return new TextEncoder().encode(text);
}
