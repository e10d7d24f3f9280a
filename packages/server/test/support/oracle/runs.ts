import { type TestFn, test } from "node:test";

/** Whether the long tests run. */
export function isLong(): boolean {
  return process.env.WHARF_TEST_LONG !== undefined;
}

/** The number of runs of a property or a loop: usually, or among the long tests. */
export function runs(usual: number, long: number): number {
  return isLong() ? long : usual;
}

/** Declares a test without `runs`, which `npm test` has run: beside one with more runs, it would show nothing new. */
export function usualTest(name: string, run: TestFn): void {
  if (!isLong()) void test(name, run);
}
