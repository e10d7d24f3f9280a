import type { Dialect } from "../connection.ts";

export const DIALECT: Dialect = {
  name: "sqlite",
  id: "INTEGER PRIMARY KEY",
  text: "TEXT",
  integer: "INTEGER",
  blob: "BLOB",
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  texts: "SELECT value FROM json_each(?)",
  tuples: (...columns) =>
    `SELECT ${columns.map((name, at) => `value ->> ${at} AS ${name}`).join(", ")} FROM json_each(?)`,
  arrayOf: (column) => `json_group_array(${column})`,
  asInteger: (text) => text,
  isWithin: (text) => `instr(${text}, ?) > 0`,
  walk: (ordered) => `${ordered} LIMIT ? OFFSET ?`,
  rowCounts: [1],
  withoutRowid: "WITHOUT ROWID",
  rowId: "rowid",
  // One writer at a time: nothing needs locking.
  lockShared: "",
  lock: "",
  lockUnlocked: "",
  lockTexts: "",
};
