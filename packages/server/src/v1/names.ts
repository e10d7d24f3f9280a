import { type FieldViolation, mapViolations } from "../lib/errors.ts";

/**
 * What fields of version 2 are called in version 1, by their names there. An empty name is one that
 * version 1 does without: what is in it is where it would be.
 */
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
  // Nothing inherited: paths and descriptions may hold any word of a caller's.
  const all: Names = Object.assign(Object.create(null), EVERYWHERE, names);
  return mapViolations(thrown, (violation) => inOtherWords(violation, all));
}

/** A whole path where it is named, else part by part; what is in brackets stays as it is. */
function inOtherWords({ field, description }: FieldViolation, names: Names): FieldViolation {
  const path =
    names[field] ??
    field.replace(PART, (part, name, dot) => {
      const now = names[name] ?? name;
      return now === undefined ? part : now && now + dot;
    });
  return { field: path, description: reworded(description, lastOf(field), lastOf(path), names) };
}

/**
 * Descriptions begin with the last name of the path. Elsewhere in them, only what is written in
 * camelCase is the name of a field for certain.
 */
function reworded(description: string, old: string, now: string, names: Names): string {
  const begins = description.startsWith(`${old} `);
  const rest = begins ? description.slice(old.length) : description;
  const told = rest.replace(/\b[a-z]+[A-Z]\w*/g, (word) => names[word] ?? word);
  return begins ? now + told : told;
}

/** A name in a path and its dot, or what is in brackets: a place in a list, or a caller's own key. */
const PART = /\[[^\]]*\]|(\w+)(\.?)/g;

function lastOf(path: string): string {
  return /\w+(?=(\[[^\]]*\])?$)/.exec(path)?.[0] ?? path;
}
