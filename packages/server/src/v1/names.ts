import { type FieldViolation, invalidArgument, WharfError } from "../errors.ts";

/** What fields of version 2 are called in version 1, by their names there. */
export type Names = Readonly<Record<string, string>>;

/** The ones that are renamed everywhere. */
const EVERYWHERE: Names = {
  uid: "id",
  createTime: "createdAt",
  updateTime: "updatedAt",
};

/**
 * An error in the words of version 1: one that names a field names the one that the caller sent.
 *
 * @example throw renamed(thrown, { roleUid: "role" });
 */
export function renamed(thrown: unknown, names: Names): unknown {
  if (!(thrown instanceof WharfError) || thrown.detail === undefined) return thrown;
  if (!("badRequest" in thrown.detail)) return thrown;
  const all = { ...EVERYWHERE, ...names };
  return invalidArgument(...thrown.detail.badRequest.map((one) => inOtherWords(one, all)));
}

/** A whole path where it is named, else part by part; descriptions begin with the last of them. */
function inOtherWords({ field, description }: FieldViolation, names: Names): FieldViolation {
  const path = names[field] ?? field.replace(PART, (part) => names[part] ?? part);
  const [old, now] = [lastOf(field), lastOf(path)];
  const begins = description.startsWith(`${old} `);
  return {
    field: path,
    description: begins ? `${now}${description.slice(old.length)}` : description,
  };
}

/** A name in a path, or what is in brackets after one: that is the caller's. */
const PART = /\[[^\]]*\]|\w+/g;

function lastOf(path: string): string {
  return /\w+(?=(\[[^\]]*\])?$)/.exec(path)?.[0] ?? path;
}
