import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Caller } from "../auth/caller.ts";
import type { WharfError } from "../lib/errors.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { AuditVia } from "../store/tables/audit/audit-and-events.ts";
import type { Scope } from "./guard.ts";
import type { IdempotencyKey } from "./idempotency.ts";

/** A request independent of its protocol. */
export interface RequestInfo {
  readonly requestId: string;
  /** The raw `authorization` header or metadata entry. */
  readonly authorization: string | undefined;
  /** The encoding of the response; handlers prepare only this one. */
  readonly format: "json" | "binary";
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** Channel of the request, for the audit log. */
  readonly via?: AuditVia | undefined;
  /** The field `traceparent` (W3C Trace Context) for requests that are sent on behalf of this one. */
  readonly traceparent?: string | undefined;
  /** Tells the log who the caller is. */
  identify?(caller: Caller): void;
  /** Aborted when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal;
  /**
   * Set when the client disconnects or the deadline passes: work that has not begun is dropped with this error. Much
   * cheaper than the signal.
   */
  readonly abandoned?: WharfError | undefined;
  /** The idempotency key as the client sent it. */
  readonly idempotencyKey?: string | undefined;
  /** The header `wharf-dry-run` as the client sent it. */
  readonly dryRun?: string | undefined;
  /** Adds `wharf-dry-run: true` to the response. */
  markDryRun?(): void;
  /** The header `Last-Event-ID` of a client that resumes a stream. */
  readonly lastEventId?: string | undefined;
  /** Adds `idempotency-replayed: true` to the response. */
  markReplayed?(): void;
}

/** A call as a handler gets it: authenticated and authorized, with a valid request. */
export interface Call extends RequestInfo {
  readonly method: DescMethod;
  /** The method that the client called, if it invoked `method`: its v1 counterpart, for example. */
  readonly calledAs?: DescMethod;
  /** Whether the client called a service by a name of the public contract, which lacks capabilities of our own. */
  readonly isPublicName?: boolean | undefined;
  readonly caller: Caller;
  /** Actor claims of the token that the caller exchanged for that of the call, as JSON: claims by name. */
  act?(): string;
  /** The start of the call in Unix milliseconds. Everything that the call does happens at this time. */
  readonly time: number;
  /** Whether everything that the call writes is rolled back. */
  readonly isDryRun?: boolean;
  /** Set for creates, if the client sent a key. */
  readonly idempotency?: IdempotencyKey | undefined;
  /** Translates the events of this call to v1, if the client called a v1 method. */
  readonly translateEvent?: EventTranslator["translate"] | undefined;
}

/** The payload of an event: the full name of the message, and the message as JSON. */
export interface EventBody {
  readonly type: string;
  readonly json: string;
}

/** An event translated to v1. Its subject may differ. */
export interface TranslatedEvent extends EventBody {
  readonly subject?: string;
}

/** Translates v2 event messages to v1 for calls of these methods. */
export interface EventTranslator {
  readonly methods: ReadonlySet<DescMethod>;
  translate(body: EventBody): TranslatedEvent;
}

/** A response that can be encoded either way. Only the encoding that the call asks for is computed. */
export interface Reply {
  json(): string;
  binary(): Uint8Array;
  /** The JSON in chunks, if it is too long to hold in memory. `json` is not called then. */
  readonly chunks?: AsyncIterable<string>;
  /** The messages of a method that streams its response. The other members are not used then. */
  readonly stream?: AsyncIterable<StreamedMessage>;
}

/** A message of a stream, with the id by which a client resumes after it. */
export interface StreamedMessage extends Reply {
  readonly id: string;
}

/** Replies at once if nothing must be waited for. Errors are thrown or reject. */
export type Handler = (call: Call, request: Message) => MaybePromise<Reply>;

const readers = new WeakSet<Handler>();

/** Marks a handler that only reads: it may run for a presumed caller, and again for the actual one. */
export function onlyReads(handler: Handler): Handler {
  readers.add(handler);
  return handler;
}

export function isReader(handler: Handler): boolean {
  return readers.has(handler);
}

/** A method of the contract on this server. */
export interface Method {
  readonly desc: DescMethod;
  /** False if the method has no handler: it answers UNIMPLEMENTED. */
  readonly served: boolean;
  /** Whether it needs no credentials. */
  readonly isPublic: boolean;
  /** The scope at which access is checked; undefined for methods without one. */
  readonly scope?: Scope | undefined;
  /** Whether its requests contain documents, and may be as large as these. */
  readonly takesDocuments: boolean;
  /** Whether it can be a dry run, and is no read. */
  readonly canBeTried: boolean;
  /** Header fields, or metadata, of all its responses. */
  readonly responseHeaders?: ResponseHeaders | undefined;
}

export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * Whether the body of a call is read as usual, or only for the scope of a denial: its caller has the capabilities of the
 * method nowhere, and the denial names the scope.
 */
export type Admission = "admitted" | "denied";

/** All methods, and the only way to call them. */
export interface Methods extends Iterable<Method> {
  /** Looks a method up by its gRPC path, under any of its service's names. */
  find(path: string): Method | undefined;

  /**
   * Checks the credentials and rights of a call before its body is read, so that clients without them cannot make the
   * server buffer and parse bodies. `scope` is that of the call, if it is known from the path. Rejects as `call` would,
   * which checks again: its result counts.
   */
  admit(method: Method, incoming: RequestInfo, scope?: string): MaybePromise<Admission>;

  /** Denies a call at its scope, which its admission did not know. Never resolves. */
  deny(method: Method, incoming: RequestInfo, scope: string): Promise<never>;

  /**
   * Waits until the event loop has time for a request; undefined if it has. Requests that wait start in fair order: no
   * caller's delay those of others. Called once for each, before its message is decoded. Rejects if too many wait.
   */
  schedule(incoming: RequestInfo, name: string): Promise<void> | undefined;

  /**
   * Authenticates, authorizes, validates and handles a call. Replies at once if nothing must be waited for; every error
   * rejects, and none is thrown.
   */
  call(method: Method, request: Message, incoming: RequestInfo): MaybePromise<Reply>;
}
