import { compareDigits, compareLists, versionOrder } from "./order.ts";

/** Compares lists of numbers, of which the shorter one precedes: 1.0 precedes 1.0.0. */
function compareComponents(one: readonly string[], other: readonly string[]): number {
  return compareLists(one, other, (a, b) => {
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    return compareDigits(a, b);
  });
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
