import type { DescMethod } from "@bufbuild/protobuf";
import type { Caller } from "../auth/caller.ts";
import type { WharfError } from "../lib/errors.ts";
import type { Call, RequestInfo } from "./call.ts";

/** A request with its authenticated caller. */
export class AdmittedCall implements Call {
  readonly #incoming: RequestInfo;
  readonly method: DescMethod;
  readonly calledAs: DescMethod;
  readonly caller: Caller;
  readonly time: number;
  readonly format: RequestInfo["format"];
  readonly translateEvent: Call["translateEvent"];
  readonly idempotency: Call["idempotency"];
  readonly isPublicName: boolean | undefined;
  readonly act: () => string;

  constructor(
    incoming: RequestInfo,
    method: DescMethod,
    caller: Caller,
    time: number,
    {
      format = incoming.format,
      translateEvent,
      idempotency,
      calledAs = method,
      isPublicName,
      act = () => "",
    }: Partial<
      Pick<Call, "format" | "translateEvent" | "idempotency" | "calledAs" | "isPublicName" | "act">
    >,
  ) {
    this.#incoming = incoming;
    this.format = format;
    this.translateEvent = translateEvent;
    this.idempotency = idempotency;
    this.isPublicName = isPublicName;
    this.act = act;
    this.method = method;
    this.calledAs = calledAs;
    this.caller = caller;
    this.time = time;
  }

  get requestId(): string {
    return this.#incoming.requestId;
  }

  get authorization(): string | undefined {
    return this.#incoming.authorization;
  }

  get remoteAddress(): string {
    return this.#incoming.remoteAddress;
  }

  get userAgent(): string {
    return this.#incoming.userAgent;
  }

  get dryRun(): string | undefined {
    return this.#incoming.dryRun;
  }

  get isDryRun(): boolean {
    return this.#incoming.dryRun === "true";
  }

  get via(): Call["via"] {
    return this.#incoming.via;
  }

  get traceparent(): string | undefined {
    return this.#incoming.traceparent;
  }

  get lastEventId(): string | undefined {
    return this.#incoming.lastEventId;
  }

  get signal(): AbortSignal {
    return this.#incoming.signal;
  }

  get abandoned(): WharfError | undefined {
    return this.#incoming.abandoned;
  }
}
