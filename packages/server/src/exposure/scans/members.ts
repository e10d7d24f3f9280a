import { list, object, text } from "../../registry/lenient-json.ts";
import { storable } from "../../store/resources/storable.ts";

/** Members of reports: what is missing or of another type is empty. */

const MAX_TEXT = 1_024;

export function textIn(value: unknown): string {
  return storable(text(value).slice(0, MAX_TEXT));
}

export function textsIn(value: unknown): string[] {
  return list(value).map(textIn).filter(Boolean);
}

/** The member of a member, and so on. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => object(inner)[name], value);
}

/** A time in milliseconds; 0 for none. */
export function timeIn(value: unknown): number {
  const time = Date.parse(text(value));
  return Number.isFinite(time) && time > 0 ? time : 0;
}

/** The digests at the ends of references, such as `repo@sha256:…`. */
export function digestsIn(references: readonly string[]): string[] {
  return references.flatMap((one) => {
    const [, digest] = /@?(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.exec(one) ?? [];
    return digest === undefined ? [] : [digest];
  });
}
