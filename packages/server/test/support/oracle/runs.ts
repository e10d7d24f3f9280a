/** Whether the long tests run. */
export function isLong(): boolean {
  return process.env.WHARF_TEST_LONG !== undefined;
}

/** How often a property or a loop is run: usually, or among the long tests. */
export function runs(usual: number, long: number): number {
  return isLong() ? long : usual;
}
