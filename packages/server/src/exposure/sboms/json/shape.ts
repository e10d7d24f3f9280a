import { isObject } from "../../../lib/json-values.ts";

/**
 * The members of a document that are read. Whatever is absent here is skipped. A repeated key replaces what the first
 * one had, as in JSON.parse: `begin` forgets it.
 */
export interface Shape {
  /** Called before each value of this shape. */
  readonly begin?: () => void;
  /** Shapes of the members, if the value is an object. */
  readonly members?: ReadonlyMap<string, Shape>;
  /** Receives the entries one by one, if the value is a list. */
  readonly entry?: (value: unknown) => void;
  /** Receives every other value. */
  readonly value?: (value: unknown) => void;
  /** The only keys of objects, at any depth, that `entry` and `value` need. Default: all. */
  readonly keys?: ReadonlySet<string>;
}

/** Hands the members of a parsed value to its shape, in the order of the document. */
export function walkValue(value: unknown, shape: Shape): void {
  shape.begin?.();
  if (shape.entry !== undefined && Array.isArray(value)) {
    for (const entry of value) shape.entry(entry);
  } else if (shape.members !== undefined && isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = shape.members.get(key);
      if (member !== undefined) walkValue(value[key], member);
    }
  } else shape.value?.(value);
}
