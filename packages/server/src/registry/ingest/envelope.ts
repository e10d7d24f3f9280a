import { truncateUserAgent } from "../../engine/audit.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { isDigest, MANIFEST_TYPES } from "../images/manifest.ts";
import { isRepositoryName } from "../name.ts";

/** One thing that happened in a registry, as it tells us. */
export interface Notice {
  readonly id: string;
  readonly action: "push" | "pull" | "delete";
  /** What it was done to; what a deletion was of, a registry does not always say. */
  readonly type: "manifest" | "blob";
  /** When, by the registry's clock, but never in our future. */
  readonly time: number;
  readonly path: string;
  /** Empty where a tag was deleted and no more is told, or all of a repository was. */
  readonly digest: string;
  readonly tag: string;
  readonly method: string;
  /** The subject of the token that it was done with; empty where the registry does not say. */
  readonly actor: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

const TAG = /^\w[\w.-]{0,127}$/;

/** Longer than any uid, address or id that a registry tells. */
const LONGEST = 1024;

const ACTIONS: ReadonlyMap<string, Notice["action"]> = new Map([
  ["push", "push"],
  ["pull", "pull"],
  ["delete", "delete"],
  // Layers that the registry had elsewhere: they were pushed, only not sent.
  ["mount", "push"],
]);

export type Json = Readonly<Record<string, unknown>>;

/**
 * Reads an envelope of events, as CNCF Distribution sends them. What is no notice of a repository of
 * ours is left out: a registry that is told no tells it again for ever.
 *
 * @example for (const notice of readEnvelope(body, Date.now())) …
 */
export function readEnvelope(body: Buffer, now: number): Notice[] {
  const { events } = readBody(body);
  if (!Array.isArray(events)) {
    throw invalidArgument({ field: "events", description: "events must be a list" });
  }
  return events.flatMap((event) => readEvent(object(event), now) ?? []);
}

/** @example const { events } = readBody(body); */
export function readBody(body: Buffer): Json {
  try {
    return object(JSON.parse(body.toString("utf8")));
  } catch {
    throw invalidArgument({ field: "", description: "the body is not valid JSON" });
  }
}

/** One event of CNCF Distribution; undefined for what is no notice of a repository of ours. */
export function readEvent(event: Json, now: number): Notice | undefined {
  const target = object(event.target);
  const request = object(event.request);
  const action = ACTIONS.get(text(event.action));
  const id = text(event.id);
  const [path, digest, tag] = [text(target.repository), text(target.digest), text(target.tag)];
  const isWell =
    action !== undefined &&
    id !== "" &&
    isRepositoryName(path) &&
    (digest === "" ? action === "delete" : isDigest(digest)) &&
    (tag === "" || TAG.test(tag));
  if (!isWell) return undefined;
  const told = Date.parse(text(event.timestamp));
  return {
    id,
    action,
    type: isManifest(target) ? "manifest" : "blob",
    time: Number.isNaN(told) ? now : Math.min(told, now),
    path,
    digest,
    tag,
    method: text(request.method),
    actor: text(object(event.actor).name),
    remoteAddress: withoutPort(text(request.addr)),
    userAgent: truncateUserAgent(text(request.useragent)),
  };
}

function isManifest(target: Json): boolean {
  if (MANIFEST_TYPES.includes(text(target.mediaType)) || text(target.tag) !== "") return true;
  return text(target.url).includes("/manifests/");
}

/** `10.0.0.1:4711` and `[::1]:4711`, or without, where a proxy told. */
function withoutPort(address: string): string {
  const { v6, v4 } = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[^:]+))(?::\d+)?$/.exec(address)?.groups ?? {};
  return v6 ?? v4 ?? address;
}

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

export function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LONGEST) : "";
}
