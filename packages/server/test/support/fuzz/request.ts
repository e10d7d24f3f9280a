/** Who sends a request. The first four hold no valid token. */
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

/** How the message of a gRPC call is framed. */
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
 * A request in a form that can be kept as JSON: names in angle brackets (`<own.group>`) stand for what
 * the world of the run has under that name.
 */
export interface FuzzRequest {
  readonly via: Via;
  readonly caller: CallerName;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** How the body is written here; text unless said. */
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
