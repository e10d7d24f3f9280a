/** Decodes the message of a Connect call: the body of a POST, or the query of a GET. */
import type { Message } from "@bufbuild/protobuf";
import { invalidArgument } from "../../lib/errors.ts";
import { messageFromBinary, textFromBinary } from "../../rpc/binary-read.ts";
import type { Method } from "../../rpc/call.ts";
import { messageFromJson } from "../../rpc/json-read.ts";
import { gunzip } from "../http/body.ts";
import type { HttpContext } from "../http/reply.ts";
import type { RequestContext } from "../http/request-context.ts";
import { readAsPreferred } from "../rest/handling.ts";
import { parseBody } from "../rest/request.ts";

/** The encoding of request and response. */
export interface Codec {
  readonly format: "json" | "proto";
  readonly contentType: string;
}

const CODECS: readonly Codec[] = [
  { format: "json", contentType: "application/json" },
  { format: "proto", contentType: "application/proto" },
];

export function codecNamed(name: string): Codec | undefined {
  return CODECS.find(({ format }) => format === name);
}

export function decodeMessage(
  http: HttpContext,
  { desc: { input } }: Method,
  { format }: Codec,
  bytes: Buffer,
): Message {
  if (format === "proto") return messageFromBinary(input, bytes);
  const text = bytes.toString();
  const { value } = readAsPreferred(http, (unknown) => parseBody(text, input, { unknown }));
  return messageFromJson(input, value);
}

/** The scope of a message, for a denial. Nothing else is decoded. */
export function decodeScope({ desc: { input }, scope }: Method, { format }: Codec, bytes: Buffer) {
  if (scope === undefined) return "";
  if (format === "proto") return textFromBinary(input, bytes, scope.path);
  const { value } = parseBody(bytes.toString(), input, { only: scope.path });
  return scope.read(messageFromJson(input, value));
}

/** Reads the parameters `connect`, `encoding`, `message`, `base64` and `compression`. */
export async function messageOfQuery(
  query: string,
  limit: number,
  context: RequestContext,
): Promise<{ codec: Codec; bytes: Buffer }> {
  const parameters = new URLSearchParams(query);
  const version = parameters.get("connect") ?? "v1";
  if (version !== "v1") throw invalidParameter("connect", "must be v1");
  const codec = codecNamed(parameters.get("encoding") ?? "");
  if (codec === undefined) throw invalidParameter("encoding", "must be json or proto");
  const text = parameters.get("message");
  if (text === null) throw invalidParameter("message", "is required");
  const isBase64 = parameters.get("base64") === "1";
  const bytes = Buffer.from(text, isBase64 ? "base64url" : "utf8");
  const compression = parameters.get("compression") ?? "identity";
  if (compression === "identity" || compression === "") return { codec, bytes };
  if (compression !== "gzip") throw invalidParameter("compression", "must be gzip or identity");
  return { codec, bytes: await gunzip(bytes, limit, context) };
}

function invalidParameter(field: string, rule: string): Error {
  return invalidArgument({ field, description: `${field} ${rule}` });
}
