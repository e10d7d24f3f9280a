import { type FieldViolation, mapViolations } from "../../lib/errors.ts";

/**
 * The version 1 names of version 2 fields, keyed by the version 2 name. An empty name removes a level that
 * version 1 lacks: its fields are fields of its parent there.
 */
export type FieldNames = Readonly<Record<string, string>>;

/** Renamed in all messages. */
const COMMON_NAMES: FieldNames = {
  uid: "id",
  createTime: "createdAt",
  updateTime: "updatedAt",
};

/** Translates an error to version 1: its violations name the fields that the caller sent. */
export function renameFields(thrown: unknown, names: FieldNames): unknown {
  // No prototype: paths and descriptions may contain arbitrary words of the caller.
  const all: FieldNames = Object.assign(Object.create(null), COMMON_NAMES, names);
  return mapViolations(thrown, (violation) => renameViolation(violation, all));
}

/** Renames a whole path if it has a name, otherwise segment by segment. Brackets stay as they are. */
function renameViolation(
  { field, description }: FieldViolation,
  names: FieldNames,
): FieldViolation {
  const path =
    names[field] ??
    field.replace(SEGMENT, (segment, name, dot) => {
      const renamed = names[name] ?? name;
      return renamed === undefined ? segment : renamed && renamed + dot;
    });
  return {
    field: path,
    description: renameInText(description, lastName(field), lastName(path), names),
  };
}

/**
 * Descriptions begin with the last name of the path. Elsewhere in them, only a camelCase word is certainly
 * the name of a field.
 */
function renameInText(
  description: string,
  before: string,
  after: string,
  names: FieldNames,
): string {
  const begins = description.startsWith(`${before} `);
  const rest = begins ? description.slice(before.length) : description;
  const text = rest.replace(/\b[a-z]+[A-Z]\w*/g, (word) => names[word] ?? word);
  return begins ? after + text : text;
}

/** A name in a path and its dot, or a bracket: an index, or a map key of the caller. */
const SEGMENT = /\[[^\]]*\]|(\w+)(\.?)/g;

function lastName(path: string): string {
  return /\w+(?=(\[[^\]]*\])?$)/.exec(path)?.[0] ?? path;
}
