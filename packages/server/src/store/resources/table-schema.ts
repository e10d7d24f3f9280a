import type { TableShape } from "./table-shape.ts";

/**
 * The orders kept in indexes, each with the row id to order equal rows. Orders without an index (children by time, folders
 * by anything) are sorted, or walked among the rows around them: those indexes end in the uid, which says whether a row is
 * in the range, so that a walk is an index-only scan (access-path.ts). Every additional index with random keys costs a page of
 * write-ahead log for each row written.
 */
const INDEXES = [
  ["parent", "name"],
  ["root", "name"],
  ["name"],
  ["root", "created"],
  ["created"],
  ["root", "updated"],
  ["updated"],
] as const;

/** The statements that create the table of a resource and its indexes, in the types of SQLite. */
export function tableStatements(shape: TableShape): string[] {
  const { name, filterColumns, partitions, hasTerms = false } = shape;
  const column = (type: string) => (columnName: string) => `${columnName} ${type} NOT NULL`;
  const [text, integer] = [column("TEXT"), column("INTEGER")];
  const columns = [
    "id INTEGER PRIMARY KEY",
    "uid TEXT NOT NULL UNIQUE",
    ...["parent", "root", "name"].map(text),
    ...["created", "updated", "encoding"].map(integer),
    ...(partitions === undefined ? [] : [integer("part")]),
    // The terms to remove from the term table when the row changes.
    ...(hasTerms ? [text("terms")] : []),
    ...filterColumns.map((filter) => (filter.type === "text" ? text : integer)(filter.name)),
    "data BLOB NOT NULL",
    "json TEXT NOT NULL",
  ];
  return [`CREATE TABLE ${name} (${columns.join(", ")})`, ...indexStatements(shape)];
}

function indexStatements(shape: TableShape): string[] {
  const { name, filterColumns, indexes = [], uniqueNames = false } = shape;
  const index = (columns: readonly string[], end: readonly string[] = ["id"]) =>
    `CREATE INDEX ${name}_by_${columns.join("_")} ON ${name} (${[...columns, ...end].join(", ")})`;
  const order = (columns: readonly string[]) => {
    const isAround = !columns.includes("parent") && !columns.includes("uid");
    return index(columns, isAround ? ["id", "uid"] : ["id"]);
  };
  return [
    ...orderColumns(shape).map(order),
    ...filterColumns.map(
      ({ name: column, sparse }) => index([column]) + (sparse ? ` WHERE ${column} <> ''` : ""),
    ),
    ...indexes.map((columns) => index(columns)),
    ...(uniqueNames ? [`CREATE UNIQUE INDEX ${name}_by_own_name ON ${name} (parent, name)`] : []),
  ];
}

/** The columns of the order indexes; the partition, if any, stands right before the order. */
function orderColumns({
  partitions,
  childOrders = [],
  uniqueNames,
  orderedByName = true,
}: TableShape): string[][] {
  const all: string[][] = [...INDEXES, ...childOrders.map((column) => ["parent", column])]
    .filter((columns) => orderedByName || columns.at(-1) !== "name")
    .map((columns) => [...columns]);
  // The unique index has the order of names, too.
  if (partitions === undefined) return uniqueNames ? all.slice(1) : all;
  return [["uid"], ...all].map((columns) => columns.toSpliced(-1, 0, "part"));
}
