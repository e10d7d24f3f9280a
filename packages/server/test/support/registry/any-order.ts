/** Orders in which notifications arrive: in any order, and some of them again. */
import fc from "fast-check";

/** Lists of notifications, each with the positions in which they are sent. */
export function inAnyOrder<N>(
  lists: fc.Arbitrary<N[]>,
): fc.Arbitrary<readonly [all: N[], order: number[]]> {
  return lists.chain((all) =>
    fc
      .tuple(
        fc.shuffledSubarray([...all.keys()], { minLength: all.length }),
        fc.array(fc.nat(all.length - 1), { maxLength: 4 }),
      )
      .map(([order, repeated]) => [all, [...order, ...repeated]] as const),
  );
}
