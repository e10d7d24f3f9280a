import type { IncomingHttpHeaders } from "node:http";
import { truncateUserAgent } from "../../engine/audit/audit.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { isDigest, MANIFEST_TYPES } from "../images/manifest.ts";
import { type Json, object } from "../lenient-json.ts";
import { isRepositoryName } from "../path.ts";

/** One event of a registry, in the form in which it is ingested. */
export interface RegistryNotification {
  readonly id: string;
  readonly action: "push" | "pull" | "delete";
  /** The pushed or pulled content. Registries do not always say what was deleted. */
  readonly type: "manifest" | "blob";
  /** By the registry's clock, but never in our future. */
  readonly time: number;
  readonly path: string;
  /** Empty if only a tag was deleted, or the whole repository. */
  readonly digest: string;
  readonly tag: string;
  readonly method: string;
  /** The subject of the token that was used; empty if the registry does not say. */
  readonly actor: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

/** The media type of a CloudEvent in structured mode. */
export const STRUCTURED_CLOUD_EVENT = "application/cloudevents+json";

const TAG = /^\w[\w.-]{0,127}$/;

/** Longer than any uid, address or id that registries send. */
const MAX_TEXT_LENGTH = 1024;

const ACTIONS: ReadonlyMap<string, RegistryNotification["action"]> = new Map([
  ["push", "push"],
  ["pull", "pull"],
  ["delete", "delete"],
  // A cross-repository mount: the client pushed the layer without sending its content.
  ["mount", "push"],
]);

/** The event types of zot, without their configurable prefix. Others are ignored. */
const CLOUD_EVENT_ACTIONS: Readonly<Record<string, RegistryNotification["action"]>> = {
  "image.updated": "push",
  "image.deleted": "delete",
};

/** Reads the notifications in a request, in either format. */
export function readNotifications(
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): RegistryNotification[] {
  return readCloudEvent(headers, body, now) ?? readEnvelope(body, now);
}

/**
 * Reads an envelope of CNCF Distribution. Events that cannot be about a repository of ours are left
 * out instead of rejected: a registry resends a rejected envelope for ever.
 */
function readEnvelope(body: Buffer, now: number): RegistryNotification[] {
  const { events } = readBody(body);
  if (!Array.isArray(events)) {
    throw invalidArgument({ field: "events", description: "events must be a list" });
  }
  return events.flatMap((event) => readEvent(object(event), now) ?? []);
}

/**
 * Reads a CloudEvent of zot, in binary mode (attributes in headers) or structured mode. Returns
 * undefined if the request is no CloudEvent.
 */
function readCloudEvent(
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): RegistryNotification[] | undefined {
  const isStructured = headers["content-type"]?.startsWith(STRUCTURED_CLOUD_EVENT) ?? false;
  if (!isStructured && headers["ce-type"] === undefined) return undefined;
  const content = readBody(body);
  const { "ce-id": id, "ce-type": type, "ce-time": time } = headers;
  const event = isStructured ? content : { id, type, time, data: content };
  const notification = readEvent(toDistributionEvent(event), now);
  return notification === undefined ? [] : [notification];
}

function toDistributionEvent({ id, type, time, data }: Json): Json {
  const { name: repository, reference, digest, mediaType, actor, request } = object(data);
  const suffix = text(type).split(".").slice(-2).join(".");
  const tag = isDigest(reference) ? "" : reference;
  const url = `/v2/${text(repository)}/manifests/${text(reference)}`;
  const target = { repository, digest, mediaType, tag, url };
  return { id, timestamp: time, action: CLOUD_EVENT_ACTIONS[suffix], target, actor, request };
}

function readBody(body: Buffer): Json {
  try {
    return object(JSON.parse(body.toString("utf8")));
  } catch {
    throw invalidArgument({ field: "", description: "the body is not valid JSON" });
  }
}

/** Reads an event of CNCF Distribution; undefined if it is malformed or of no repository. */
function readEvent(event: Json, now: number): RegistryNotification | undefined {
  const target = object(event.target);
  const request = object(event.request);
  const action = ACTIONS.get(text(event.action));
  const id = text(event.id);
  const [path, digest, tag] = [text(target.repository), text(target.digest), text(target.tag)];
  const isValid =
    action !== undefined &&
    id !== "" &&
    isRepositoryName(path) &&
    (digest === "" ? action === "delete" : isDigest(digest)) &&
    (tag === "" || TAG.test(tag));
  if (!isValid) return undefined;
  const timestamp = Date.parse(text(event.timestamp));
  return {
    id,
    action,
    type: isManifest(target) ? "manifest" : "blob",
    time: Number.isNaN(timestamp) ? now : Math.min(timestamp, now),
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

/** `10.0.0.1:4711` or `[::1]:4711`; without a port if a proxy set the address. */
function withoutPort(address: string): string {
  const { v6, v4 } = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[^:]+))(?::\d+)?$/.exec(address)?.groups ?? {};
  return v6 ?? v4 ?? address;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : "";
}
