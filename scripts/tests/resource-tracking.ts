/**
 * Loaded before `node:test`, which follows every promise and handle of the process (with an async hook)
 * to know the test that each belongs to. That costs about a sixth of a run, and is needed only while a
 * file registers its tests: so the worker turns it on for that time alone. With a `destroy` callback,
 * Node.js would also watch the collection of every promise, of which an import makes thousands: what
 * was followed is forgotten when the next file begins instead.
 */
import hooks, { type AsyncHook } from "node:async_hooks";

const { createHook } = hooks;
let tracking: AsyncHook | undefined;
let followed: number[] = [];
let forget: (id: number) => void = () => {};

hooks.createHook = ({ init, destroy, ...others }) => {
  if (destroy !== undefined) forget = destroy;
  tracking = createHook({
    ...others,
    init(id, ...what) {
      followed.push(id);
      init?.(id, ...what);
    },
  });
  hooks.createHook = createHook;
  return tracking;
};

/** Lets `test`, `describe` and hooks find the suite that they are called in. */
export function trackResources(): void {
  for (const id of followed) forget(id);
  followed = [];
  tracking?.enable();
}

export function ignoreResources(): void {
  tracking?.disable();
}
