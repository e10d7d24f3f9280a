/** Ids per page. */
const PAGE_SIZE = 1_024;

/**
 * Numbers rows by small integers, as array indexes need them. Row ids can be sparse: PostgreSQL uses up
 * one for each insert that conflicts. So pages of consecutive ids get pages of consecutive slots.
 */
export class Slots {
  /** The page of slots for a page of ids. */
  readonly #pages = new Map<number, number>();
  /** The first id of each page of slots. */
  readonly #firstIds: number[] = [];

  /** All slots are below this number. */
  get size(): number {
    return this.#firstIds.length * PAGE_SIZE;
  }

  /** The slot of a row id; undefined if there is none near it. */
  find(id: number): number | undefined {
    const page = this.#pages.get(Math.floor(id / PAGE_SIZE));
    return page === undefined ? undefined : page * PAGE_SIZE + (id % PAGE_SIZE);
  }

  /** The slot of a row id, allocated if need be. */
  allocate(id: number): number {
    const known = this.find(id);
    if (known !== undefined) return known;
    const page = Math.floor(id / PAGE_SIZE);
    this.#pages.set(page, this.#firstIds.length);
    this.#firstIds.push(page * PAGE_SIZE);
    return this.find(id) as number;
  }

  idOf(slot: number): number {
    return (this.#firstIds[Math.floor(slot / PAGE_SIZE)] ?? 0) + (slot % PAGE_SIZE);
  }
}
