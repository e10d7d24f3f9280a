/** A column beside the common ones that lists can be filtered by. It gets an index. */
export interface FilterColumn {
  readonly name: string;
  readonly type: "text" | "integer";
  /** Empty in most rows, which its index then leaves out. */
  readonly sparse?: boolean;
}

/** The columns and indexes of a resource table, and how its rows sit in the tree. */
export interface TableShape {
  /** The table's name, which is also the kind in the counts. */
  readonly name: string;
  readonly filterColumns: readonly FilterColumn[];
  /** Whether its rows are scopes, as groups are: a list of a subtree can include the row at its top. */
  readonly isScope: boolean;
  /** Whether other resources have its rows as parents. */
  readonly hasChildren: boolean;
  /** Whether a row has the uid of its parent, which has one such row at most. */
  readonly uidIsParent: boolean;
  /** Whether names are unique among the children of one parent. */
  readonly uniqueNames?: boolean;
  /** Whether lists can be ordered by name; true by default. */
  readonly orderedByName?: boolean;
  /** In a partitioned table: whether the parents of rows have children that are parents, too. */
  readonly isInGroups?: boolean;
  /**
   * The partitions of the table, where most lists read only some of them: every order and every count
   * is kept for each partition.
   */
  readonly partitions?: readonly number[];
  /** The times by which the children of each parent are indexed, besides the name. */
  readonly childOrders?: readonly ("created" | "updated")[];
  /** Columns of additional indexes, in their order. */
  readonly indexes?: readonly (readonly string[])[];
  /**
   * Column of the identity whose grants a row affects, where rows decide what role bindings grant, or
   * ALL_IDENTITIES. Every write is logged for that identity and the row's root (tables/access/access-log.ts).
   */
  readonly grantsOf?: string;
  /** Whether rows have search terms (terms/terms.ts). */
  readonly hasTerms?: boolean;
  /** The values of the filter columns, from the `data` of a row: fills columns that an upgrade adds. */
  filtersOf?(data: Uint8Array): Readonly<Record<string, string | number>>;
}

/** In `TableShape.grantsOf`: a row concerns every identity. */
export const ALL_IDENTITIES = "*";
