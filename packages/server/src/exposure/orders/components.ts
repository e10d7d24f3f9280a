import { compareDigits, compareLists, endFirst, versionOrder } from "./order.ts";

/** Compares lists of numbers, of which the shorter one precedes: 1.0 precedes 1.0.0. */
function compareComponents(one: readonly string[], other: readonly string[]): number {
  return compareLists(one, other, endFirst(compareDigits));
}

function components(text: string, form: RegExp): readonly string[] | undefined {
  return form.test(text) ? text.split(/[.-]/) : undefined;
}

/** CRAN: numbers that are separated by dots or hyphens, which are equal. */
export const cran = versionOrder(
  "cran",
  (text) => components(text, /^\d+(?:[.-]\d+)*$/),
  compareComponents,
);

/** Hackage: numbers that are separated by dots. */
export const hackage = versionOrder(
  "hackage",
  (text) => components(text, /^\d+(?:\.\d+)*$/),
  compareComponents,
);
