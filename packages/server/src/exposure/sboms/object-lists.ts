import { isObject, type JsonObject } from "../../lib/json-values.ts";
import type { Shape } from "./json/shape.ts";
import { SbomRefused } from "./refusal.ts";

/** The lists of a document whose entries must be objects. */
export class ObjectLists {
  readonly #keys: ReadonlySet<string> | undefined;
  /** By the name of the list: a repeated key replaces the list, and with it the problem. */
  readonly #problems = new Map<string, string>();

  /** `keys` are those of objects in the lists that are read. Default: all. */
  constructor(keys?: ReadonlySet<string>) {
    this.#keys = keys;
  }

  /** The member of a document with a list. `begin` forgets the entries of a list under the same key. */
  member(
    name: string,
    { begin, add }: { begin: () => void; add: (entry: JsonObject) => void },
  ): [name: string, shape: Shape] {
    const shape: Shape = {
      begin: () => {
        this.#problems.delete(name);
        begin();
      },
      entry: (value) => {
        if (isObject(value)) add(value);
        else this.#problems.set(name, `an entry of ${name} is not an object`);
      },
      value: (value) => {
        // Go writes null for an empty list.
        if (value !== null) this.#problems.set(name, `${name} is not a list`);
      },
      ...(this.#keys && { keys: this.#keys }),
    };
    return [name, shape];
  }

  requireWellFormed(): void {
    for (const problem of this.#problems.values()) throw new SbomRefused("malformed", problem);
  }
}
