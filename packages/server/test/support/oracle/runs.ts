/** How often a property or a loop is run: usually, or among the long tests. */
export function runs(usual: number, long: number): number {
  return process.env.WHARF_TEST_LONG === undefined ? usual : long;
}
