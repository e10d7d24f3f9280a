import type { Dialect } from "../db/connection.ts";
import type { ColumnSchema, IndexSchema, TableSchema } from "../schema/table-schema.ts";
import type { FilterColumn, TableShape } from "./table-shape.ts";

/**
 * The orders kept in indexes, each with the row id to order equal rows. Orders without an index (children by time, folders
 * by anything) are sorted, or walked among the rows around them: those indexes end in the uid, which says whether a row is
 * in the range, so that a walk is an index-only scan (access-path.ts). Every further index with random keys costs a page of
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

/** The table of a resource and its indexes. */
export function tableSchema(shape: TableShape, dialect: Dialect): TableSchema {
  const { id, text, integer, blob } = dialect;
  const { name, filterColumns, partitions, hasTerms = false } = shape;
  const column = (columnName: string, type: string): ColumnSchema => ({
    name: columnName,
    sql: `${type} NOT NULL`,
  });
  return {
    name,
    columns: [
      { name: "id", sql: id },
      { name: "uid", sql: `${text} NOT NULL UNIQUE` },
      ...["parent", "root", "name"].map((one) => column(one, text)),
      ...["created", "updated", "encoding"].map((one) => column(one, integer)),
      ...(partitions === undefined ? [] : [column("part", integer)]),
      // The terms to remove from the term table when the row changes.
      ...(hasTerms ? [column("terms", text)] : []),
      ...filterColumns.map((filter) => filterColumn(filter, dialect)),
      column("data", blob),
      column("json", text),
    ],
    indexes: indexesOf(shape),
    ...(shape.filtersOf === undefined ? {} : { valuesOf: shape.filtersOf }),
  };
}

function filterColumn({ name, type }: FilterColumn, { text, integer }: Dialect): ColumnSchema {
  return type === "text"
    ? { name, sql: `${text} NOT NULL`, initial: "''" }
    : { name, sql: `${integer} NOT NULL`, initial: "0" };
}

function indexesOf(shape: TableShape): IndexSchema[] {
  const { name, filterColumns, indexes = [], uniqueNames = false } = shape;
  const index = (columns: readonly string[]): IndexSchema => ({
    name: `${name}_by_${columns.join("_")}`,
    columns: [...columns, "id"],
  });
  const order = (columns: readonly string[]): IndexSchema => {
    const { name, columns: all } = index(columns);
    const isAround = !columns.includes("parent") && !columns.includes("uid");
    return { name, columns: isAround ? [...all, "uid"] : all };
  };
  return [
    ...orderColumns(shape).map(order),
    ...filterColumns.map(({ name: column, sparse }) => ({
      ...index([column]),
      ...(sparse ? { where: `${column} <> ''` } : {}),
    })),
    ...indexes.map(index),
    ...(uniqueNames
      ? [{ name: `${name}_by_own_name`, columns: ["parent", "name"], unique: true }]
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
