import type { Dialect } from "../db/connection.ts";
import type { TableShape } from "./table-shape.ts";

/**
 * The orders kept in indexes, each ending in the row id to order equal rows. Orders without an index
 * (children by time, folders by anything) are sorted or filtered when read: see access-path.ts. Every
 * further index with random keys costs a page of write-ahead log for each row written.
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

/** The statements that create the table of a resource and its indexes where they are missing. */
export function tableSchema(shape: TableShape, dialect: Dialect): string[] {
  const { id, text, integer, blob } = dialect;
  const { name, filterColumns, partitions, hasTerms = false } = shape;
  const filters = filterColumns.map(
    (c) => `, ${c.name} ${c.type === "text" ? text : integer} NOT NULL`,
  );
  const part = partitions === undefined ? "" : `, part ${integer} NOT NULL`;
  // The terms to remove from the term table when the row changes.
  const terms = hasTerms ? `, terms ${text} NOT NULL` : "";
  const index = (...columns: string[]) =>
    `CREATE INDEX IF NOT EXISTS ${name}_by_${columns.join("_")} ON ${name} (${columns.join(", ")}, id)`;
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (
      id ${id}, uid ${text} NOT NULL UNIQUE, parent ${text} NOT NULL, root ${text} NOT NULL,
      name ${text} NOT NULL, created ${integer} NOT NULL, updated ${integer} NOT NULL,
      encoding ${integer} NOT NULL${part}${terms}${filters.join("")}, data ${blob} NOT NULL, json ${text} NOT NULL)`,
    ...orderColumns(shape).map((columns) => index(...columns)),
    ...filterColumns.map(
      ({ name: column, sparse }) => `${index(column)}${sparse ? ` WHERE ${column} <> ''` : ""}`,
    ),
    ...(shape.indexes ?? []).map((columns) => index(...columns)),
    ...(shape.uniqueNames
      ? [`CREATE UNIQUE INDEX IF NOT EXISTS ${name}_by_own_name ON ${name} (parent, name)`]
      : []),
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
