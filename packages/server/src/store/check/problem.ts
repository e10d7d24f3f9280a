/** Something that is wrong with a store. */
export interface StoreProblem {
  /**
   * `table` and `index` are damaged; `database` concerns all of it; `data` contradicts a rule of ours, such as a count
   * that is not the number of its rows; `content` is a blob whose file differs from its row.
   */
  readonly kind: "table" | "index" | "database" | "data" | "content";
  /** The table or index, the name of the database, or a digest. */
  readonly name: string;
  readonly problem: string;
}

/** Reports the progress of a check: what is checked next, and how much of all is done. */
export type CheckProgress = (what: string, done: number, total: number) => void;

/** Problems shown per table and rule: a damaged table can have millions. */
export const MAX_PROBLEMS = 20;
