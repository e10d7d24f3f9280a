import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Settings } from "../../config/settings.ts";
import type { Finished } from "../../wire/observer.ts";
import type { TraceContext } from "../../wire/trace-context.ts";
import type { FaultLog } from "../fault-log.ts";
import type { Metrics } from "../metrics.ts";
import { SpanExporter } from "./exporter.ts";
import { type FinishedSpan, KIND, Span } from "./span.ts";

/** Codes that are failures of the server, not of the caller. */
const SERVER_ERRORS: ReadonlySet<number> = new Set([2, 4, 13, 14, 15]);

export interface TracingDeps {
  readonly settings: Pick<Settings, "otlpEndpoint" | "traceSampleRatio">;
  readonly metrics: Pick<Metrics, "count">;
  readonly faults: Pick<FaultLog, "fault">;
  readonly flushMs?: number;
}

/**
 * Traces of OpenTelemetry: a span for each request, for each write that it waits for, and for each request that it sends
 * elsewhere. Exists only if a collector is set; without, requests pay nothing for it.
 */
export class Tracing {
  readonly #exporter: SpanExporter;
  readonly #ratio: number;
  /** The span of the request that the running code belongs to. */
  readonly #current = new AsyncLocalStorage<Span | undefined>();
  readonly #clientSpans = new WeakMap<ClientRequest, Span>();
  readonly #channels: readonly (readonly [string, (message: unknown) => void])[];

  constructor({ settings, metrics, faults, flushMs }: TracingDeps) {
    this.#ratio = settings.traceSampleRatio;
    this.#exporter = new SpanExporter({
      endpoint: settings.otlpEndpoint,
      onDropped: (spans) => metrics.count("wharf_spans_dropped_total", {}, spans),
      onError: (error) =>
        void faults.fault("traces", { err: error }, "spans not sent to the collector"),
      ...(flushMs !== undefined && { flushMs }),
    });
    this.#channels = [
      ["http.client.request.created", (message) => this.#sending(message as Sent)],
      ["http.client.response.finish", (message) => this.#answered(message as Sent)],
      ["http.client.request.error", (message) => this.#answered(message as Sent)],
    ];
    for (const [channel, listener] of this.#channels) subscribe(channel, listener);
  }

  /** A request has arrived. A caller that does not record its trace decides for us, too. */
  started(trace: TraceContext | undefined): Span | undefined {
    const isSampled =
      trace === undefined
        ? Math.random() < this.#ratio
        : (Number.parseInt(trace.flags, 16) & 1) === 1;
    const span = isSampled ? new Span(trace) : undefined;
    this.#current.enterWith(span);
    return span;
  }

  finished(span: Span, event: Finished): void {
    this.#record(
      span.finish(
        event.method,
        KIND.server,
        {
          "rpc.system": event.protocol === "grpc" ? "grpc" : event.protocol,
          "rpc.grpc.status_code": event.code,
          "http.response.status_code": event.httpStatus,
          "client.address": event.remoteAddress,
          "user_agent.original": event.userAgent,
          "enduser.id": event.caller,
          "wharf.request_id": event.requestId,
        },
        SERVER_ERRORS.has(event.code),
      ),
    );
  }

  /** A write was enqueued; its span ends when it is durable. */
  readonly writing = (written: Promise<unknown>): void => {
    const span = this.#current.getStore()?.child();
    if (span === undefined) return;
    const done = (isError: boolean) => () =>
      this.#record(span.finish("store write", KIND.internal, {}, isError));
    written.then(done(false), done(true));
  };

  async close(): Promise<void> {
    for (const [channel, listener] of this.#channels) unsubscribe(channel, listener);
    await this.#exporter.close();
  }

  /** Outside of any request: the requests that send spans have none. */
  #record(span: FinishedSpan): void {
    this.#current.run(undefined, () => this.#exporter.add(span));
  }

  #sending({ request }: Sent): void {
    const span = this.#current.getStore()?.child();
    if (span === undefined) return;
    this.#clientSpans.set(request, span);
    if (!request.headersSent) request.setHeader("traceparent", span.traceparent);
  }

  #answered({ request, response }: Sent): void {
    const span = this.#clientSpans.get(request);
    if (span === undefined) return;
    this.#clientSpans.delete(request);
    const { method, host, protocol } = request;
    const status = response?.statusCode;
    const attributes = {
      "http.request.method": method,
      "server.address": host,
      "url.scheme": protocol.replace(":", ""),
      "http.response.status_code": status,
    };
    this.#record(span.finish(`${method} ${host}`, KIND.client, attributes, status === undefined));
  }
}

/** Message of Node.js's diagnostics channels about a client request. */
interface Sent {
  readonly request: ClientRequest;
  readonly response?: IncomingMessage;
}
