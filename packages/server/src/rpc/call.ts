import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Caller } from "../auth/caller.ts";

/** What the wire knows of a request, whichever protocol brought it. */
export interface Incoming {
  readonly requestId: string;
  /** The `authorization` header or metadata entry as it came. */
  readonly authorization: string | undefined;
  /** How the answer will be written; replies prepare only that form. */
  readonly format: "json" | "binary";
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** Aborted when the client is gone or its time is up. */
  readonly signal: AbortSignal;
}

/** One call as a handler sees it: the request has been read, its sender is known and may call. */
export interface Call extends Incoming {
  readonly method: DescMethod;
  /** What the caller called, where that is made of `method`: version 1 of it, for example. */
  readonly calledAs?: DescMethod;
  readonly caller: Caller;
  /** Milliseconds since 1970 at which the call began: the one "now" of everything it does. */
  readonly time: number;
  /** Translates the events of this call to version 1, where that is what the caller speaks. */
  readonly translateEvent?: EventTranslator["translate"] | undefined;
}

/** What an event tells: the message's full name, and the message as JSON. */
export interface EventBody {
  readonly type: string;
  readonly json: string;
}

/** An event translated to version 1, whose message may be about another subject. */
export interface TranslatedEvent extends EventBody {
  readonly subject?: string;
}

/** The methods of version 1, and how events of the version 2 methods behind them are translated. */
export interface EventTranslator {
  readonly methods: ReadonlySet<DescMethod>;
  translate(body: EventBody): TranslatedEvent;
}

/** An answer that can be written in either form; only the one asked for is ever made. */
export interface Reply {
  json(): string;
  binary(): Uint8Array;
  /** The JSON in pieces, where it is too long to hold at once; `json` is not asked for then. */
  readonly chunks?: AsyncIterable<string>;
}

export type Handler = (call: Call, request: Message) => Promise<Reply>;

/** A method of the contract as this server has it. */
export interface Method {
  readonly desc: DescMethod;
  /** False while the contract names the method but nothing behind it is ready: UNIMPLEMENTED. */
  readonly served: boolean;
  /** Whether it can be called without credentials. */
  readonly isOpen: boolean;
  /** Header fields, or metadata, that all its answers carry. */
  readonly responseHeaders?: ResponseHeaders | undefined;
}

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Everything that can be called, and the one way to call it. */
export interface Methods extends Iterable<Method> {
  /**
   * Looks a method up by its gRPC path, under any of its service's names.
   *
   * @example methods.find("/wharf.iam.v2beta1.GroupsService/GetGroup")
   */
  find(path: string): Method | undefined;

  /**
   * Checks the credentials of a call before its body is read. Rejects with UNAUTHENTICATED; undefined
   * when there is nothing to wait for. `call` authenticates again, and decides.
   *
   * @example await methods.admit(method, incoming);
   */
  admit(method: Method, incoming: Incoming): Promise<unknown> | undefined;

  /**
   * Runs a call from access check to answer. Rejects with a WharfError.
   *
   * @example const reply = await methods.call(method, request, incoming);
   */
  call(method: Method, request: Message, incoming: Incoming): Promise<Reply>;
}
