/** Which caller sends a request, whose things it may name, and how much of it goes wrong. */
import type { Chance } from "../oracle/random.ts";
import { ANONYMOUS_CALLERS, type CallerName } from "./request.ts";
import { Values } from "./values.ts";
import { AUTHORIZATIONS } from "./words.ts";

/** Whose requests a run sends: of callers without a valid token alone, or of those with one. */
export type Phase = "anonymous" | "authenticated";

/** The owner can do most, so it calls most; the operator sees all that the run has written. */
const AUTHENTICATED: readonly CallerName[] = [
  ...Array<CallerName>(5).fill("owner"),
  ...Array<CallerName>(2).fill("viewer"),
  ...Array<CallerName>(2).fill("narrowed"),
  "operator",
];

export function pickCaller(chance: Chance, phase: Phase): CallerName {
  return chance.pick(phase === "anonymous" ? ANONYMOUS_CALLERS : AUTHENTICATED);
}

/** The Authorization header of callers whose token is no token. */
export function authorizationOf(chance: Chance, caller: CallerName): [string, string][] {
  return caller === "malformed" ? [["authorization", chance.pick(AUTHORIZATIONS)]] : [];
}

/** Methods that take away what other requests are about. */
const REMOVES = /Delete|Revoke|Regenerate/;

/**
 * The organizations whose things may be named, often first. What is removed is mostly a spare one, so
 * that the others last.
 */
function sidesFor(chance: Chance, caller: CallerName, about: string): readonly string[] {
  if (caller === "operator") return ["third"];
  const own = REMOVES.test(about) && chance.below(20) > 0 ? "spare" : "own";
  return [own, own, own, own, own, own, "victim", "third"];
}

/**
 * The values for a request to a service. The operator never names things of the two other
 * organizations: it could otherwise grant the attackers what they must not see.
 */
export function valuesFor(chance: Chance, caller: CallerName, about: string): Values {
  const sides = sidesFor(chance, caller, about);
  const risk = chance.pick([0, 5, 5, 35]);
  return new Values(chance, sides, risk, about);
}
