/**
 * Loaded before `node:test`, which follows every promise and handle of the process (with an async hook)
 * to know the test that each belongs to. That costs about a sixth of a run, and is needed only while a
 * file registers its tests: so the worker turns it on for that time alone.
 */
import hooks, { type AsyncHook } from "node:async_hooks";

const { createHook } = hooks;
let tracking: AsyncHook | undefined;

hooks.createHook = (callbacks) => {
  tracking = createHook(callbacks);
  hooks.createHook = createHook;
  return tracking;
};

/** Lets `test`, `describe` and hooks find the suite that they are called in. */
export function trackResources(): void {
  tracking?.enable();
}

export function ignoreResources(): void {
  tracking?.disable();
}
