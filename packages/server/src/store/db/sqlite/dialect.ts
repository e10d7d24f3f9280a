import type { Dialect } from "../connection.ts";

export const DIALECT: Dialect = {
  name: "sqlite",
  id: "INTEGER PRIMARY KEY",
  text: "TEXT",
  integer: "INTEGER",
  blob: "BLOB",
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  texts: "SELECT value FROM json_each(?)",
  integers: "SELECT value FROM json_each(?)",
  tuples: (...columns) =>
    `SELECT ${columns.map((name, at) => `value ->> ${at} AS ${name}`).join(", ")} FROM json_each(?)`,
  asInteger: (text) => text,
  isWithin: (text) => `instr(${text}, ?) > 0`,
  glob: {
    matches: (text) => `${text} GLOB ?`,
    patternOf: (glob) => glob.replace(/[?[]/g, "[$&]"),
  },
  joinedTerms: (column, kind) =>
    `(SELECT coalesce(group_concat(value ->> 1, char(10)), '') FROM json_each(${column}) WHERE value ->> 0 = '${kind}')`,
  // SQLite runs the parts one after the other.
  counted: (page, total, columns) =>
    `SELECT *, NULL AS total FROM (${page}) UNION ALL SELECT ${"NULL, ".repeat(columns)}${total}`,
  walk: (ordered) => `${ordered} LIMIT ? OFFSET ?`,
  rowCounts: [1],
  withoutRowid: "WITHOUT ROWID",
  rowId: "rowid",
  // SQLite has a single writer at a time: nothing needs locking.
  lockShared: "",
  lock: "",
  lockUnlocked: "",
  lockTexts: "",
};
