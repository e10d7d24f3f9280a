import type { Dialect } from "../connection.ts";

export const DIALECT: Dialect = {
  name: "sqlite",
  id: "INTEGER PRIMARY KEY",
  text: "TEXT",
  integer: "INTEGER",
  blob: "BLOB",
  texts: "SELECT value FROM json_each(?)",
  triples:
    "SELECT value ->> 0 AS first, value ->> 1 AS second, value ->> 2 AS third FROM json_each(?)",
  asInteger: (text) => text,
  isWithin: (text) => `instr(${text}, ?) > 0`,
  withoutRowid: "WITHOUT ROWID",
  rowId: "rowid",
  // One writer at a time: nothing needs locking.
  lockShared: "",
  lock: "",
  lockUnlocked: "",
  lockText: "",
};
