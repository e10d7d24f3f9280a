/** Fuzzed requests before they are sent: what they hold, who sends them, and how much of them goes wrong. */
import type { Random } from "../oracle/random.ts";
import { Values } from "./values.ts";
import { AUTHORIZATIONS } from "./words.ts";

/** The senders of requests. The first four have no valid token. */
export const CALLERS = [
  "none",
  "malformed",
  "expired",
  "foreign",
  "viewer",
  "owner",
  "narrowed",
  "operator",
  "provisioner",
  "registry",
] as const;
export type CallerName = (typeof CALLERS)[number];

/** Callers that the server must not know. */
export const ANONYMOUS_CALLERS: readonly CallerName[] = ["none", "malformed", "expired", "foreign"];

export type Via = "rest" | "http" | "grpc" | "grpc-web";

/**
 * One field of a protobuf message before it is encoded: number, kind of value, value. Kinds: varint,
 * text, message, hexadecimal bytes (length-delimited), and raw bytes that are put in as they are.
 */
export type WireField =
  | readonly [no: number, kind: "varint" | "text" | "hex" | "fixed32" | "fixed64", value: string]
  | readonly [no: number, kind: "message", value: readonly WireField[]]
  | readonly [no: 0, kind: "raw", value: string];

/** The framing of the message of a gRPC call. */
export const FRAMINGS = [
  "plain",
  "longer",
  "shorter",
  "endless",
  "oversized",
  "flag only",
  "gzip",
  "torn gzip",
  "bomb",
  "reserved flag",
  "trailer flag",
  "twice",
  "tail",
  "nothing",
  "half a prefix",
  "no prefix",
] as const;
export type Framing = (typeof FRAMINGS)[number];

/**
 * A request in a form that can be stored as JSON: names in angle brackets (`<own.group>`) stand for what the world of
 * the run has under that name.
 */
export interface FuzzRequest {
  readonly via: Via;
  readonly caller: CallerName;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** The encoding of the body here; text by default. */
  readonly bodyEncoding?: "base64";
  /** The message of a gRPC call, in place of a body. */
  readonly message?: readonly WireField[];
  readonly framing?: Framing;
  /** gRPC-Web in its text form; "broken" cuts the last character off. */
  readonly text?: "base64" | "broken";
  /** The method that was meant, as the contract names it; absent when the path was tampered with. */
  readonly rpc?: string;
}

/** Values by the names that stand for them. */
export type Marks = ReadonlyMap<string, string>;

/**
 * Puts the values of a world in place of their names. A name that the world does not have stays.
 *
 * @example fill("/iam/v2beta1/groups/<own.group>", marks)
 */
export function fill(text: string, marks: Marks): string {
  if (!text.includes("<")) return text;
  return text.replace(/<([a-z]+\.[a-zA-Z]+)>/g, (mark, name: string) => marks.get(name) ?? mark);
}

/**
 * Percent-encodes a text for a path or a query, but leaves names that stand for values.
 *
 * @example percentEncoded("<own.group> x") // "<own.group>%20x"
 */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%3C([a-z]+\.[a-zA-Z]+)%3E/g, "<$1>");
}

/** The callers whose requests a run sends: those without a valid token, or those with one. */
export type Phase = "anonymous" | "authenticated";

/** The owner can do most, so it calls most; the operator sees all that the run has written. */
const AUTHENTICATED: readonly CallerName[] = [
  ...Array<CallerName>(5).fill("owner"),
  ...Array<CallerName>(2).fill("viewer"),
  ...Array<CallerName>(2).fill("narrowed"),
  "operator",
];

export function pickCaller(random: Random, phase: Phase): CallerName {
  return random.pick(phase === "anonymous" ? ANONYMOUS_CALLERS : AUTHENTICATED);
}

/** The Authorization header of callers whose token is no token. */
export function authorizationOf(random: Random, caller: CallerName): [string, string][] {
  return caller === "malformed" ? [["authorization", random.pick(AUTHORIZATIONS)]] : [];
}

/** Methods that take away what other requests are about. */
const REMOVES = /Delete|Revoke|Regenerate/;

/**
 * The organizations whose things may be named, often first. Requests mostly remove a spare one, so that the others
 * last.
 */
function sidesFor(random: Random, caller: CallerName, about: string): readonly string[] {
  if (caller === "operator") return ["third"];
  const own = REMOVES.test(about) && random.below(20) > 0 ? "spare" : "own";
  return [own, own, own, own, own, own, "victim", "third"];
}

/**
 * The values for a request to a service. The operator never names things of the two other
 * organizations: it could otherwise grant the attackers what they must not see.
 */
export function valuesFor(random: Random, caller: CallerName, about: string): Values {
  const sides = sidesFor(random, caller, about);
  const risk = random.pick([0, 5, 5, 35]);
  return new Values(random, sides, risk, about);
}
