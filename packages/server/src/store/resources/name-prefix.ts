import "../../lib/code-point-at.ts";

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * The least text behind all that begin with a prefix, in the order of their bytes, which is that of their code points;
 * undefined where there is none.
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (one) => one.codePointAt(0) as number);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are no characters.
  const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1;
  return String.fromCodePoint(...points, next);
}
