import { WharfError } from "@wharf/client/json";
import { texts } from "../texts/common.ts";
import { sentence } from "../texts/sentence.ts";

/** The message of an error without its code, as a sentence. */
export function sentenceOf(error: Error): string {
  if (error instanceof WharfError && error.fieldViolations.length > 0) {
    return sentence(error.fieldViolations.map(({ description }) => description).join("; "));
  }
  const { message } = error;
  const text =
    error instanceof WharfError ? message.slice(message.indexOf(": ") + 1).trim() : message;
  const [, missing] = DENIED.exec(text) ?? [];
  return missing === undefined ? sentence(text) : texts.errors.denied(missing);
}

/** Denials name the capabilities and a uid; the screen shows the path of that uid already. */
const DENIED = /^needs ([a-z_., ]+) at "[0-9a-f/]+"/;
