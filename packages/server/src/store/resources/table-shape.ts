/** A column beside the common ones that a list can be filtered by. Gets an index of its own. */
export interface FilterColumn {
  readonly name: string;
  readonly type: "text" | "integer";
  /** Empty in most rows, which are then left out of its index. */
  readonly sparse?: boolean;
}

/** How the table of a resource is made, and how its rows sit in the tree. */
export interface TableShape {
  /** The table's name, which is also the kind in the counts. */
  readonly name: string;
  readonly filterColumns: readonly FilterColumn[];
  /** Whether its rows are places: what is below one, in a list, includes the row itself. */
  readonly isPlace: boolean;
  /** Whether other resources live below its rows. */
  readonly hasChildren: boolean;
  /** Whether rows go by the uid of the place that they are in, which holds one of them at most. */
  readonly uidIsParent: boolean;
  /** Whether two rows of one place never have the same name. */
  readonly uniqueNames?: boolean;
  /** Whether lists can ask for the order of names; they can unless this says otherwise. */
  readonly orderedByName?: boolean;
  /** Whether rows in parts are in places that hold further places with rows. */
  readonly isInGroups?: boolean;
  /**
   * The parts that rows are told apart in, where lists mostly ask for some of them: every order is
   * kept, and every total, for each part alone.
   */
  readonly parts?: readonly number[];
  /** The times that the children of each place are kept in the order of, besides the name. */
  readonly childOrders?: readonly ("created" | "updated")[];
  /** Columns of further indexes, in their order. */
  readonly indexes?: readonly (readonly string[])[];
  /**
   * Where rows decide what role bindings grant: the column that names the identity they concern, or
   * ALL_IDENTITIES. Every write is logged for that identity and the row's root (access-log.ts).
   */
  readonly grantsOf?: string;
  /** Whether rows have terms that they are found by. */
  readonly hasTerms?: boolean;
}

/** Says in `TableShape.grantsOf` that a row concerns every identity. */
export const ALL_IDENTITIES = "*";
