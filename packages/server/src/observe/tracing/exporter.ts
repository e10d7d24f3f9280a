import { request as requestHttp } from "node:http";
import { https } from "../../lib/runtime/lazy-builtins.ts";
import { VERSION } from "../../lib/version.ts";
import type { Attributes, FinishedSpan } from "./span.ts";

/** Spans that wait to be sent; more are dropped and counted. */
const MAX_BUFFERED = 4_096;
const BATCH_SIZE = 512;
const FLUSH_MS = 2_000;
const TIMEOUT_MS = 10_000;

export interface ExporterOptions {
  /** The URL of a collector, without /v1/traces. */
  readonly endpoint: string;
  /** Called with the number of spans that were dropped. */
  onDropped(spans: number): void;
  onError(error: unknown): void;
  readonly maxBuffered?: number;
  readonly flushMs?: number;
}

/** Sends spans to a collector, as OTLP over HTTP, in JSON. A collector that fails costs spans, and nothing else. */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #url: URL;
  #buffered: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#url = new URL(`${options.endpoint.replace(/\/$/, "")}/v1/traces`);
  }

  add(span: FinishedSpan): void {
    const { maxBuffered = MAX_BUFFERED, flushMs = FLUSH_MS, onDropped } = this.#options;
    if (this.#buffered.length >= maxBuffered) {
      onDropped(1);
      return;
    }
    this.#buffered.push(span);
    if (this.#buffered.length >= BATCH_SIZE) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), flushMs).unref();
  }

  /** Sends what is buffered. */
  async close(): Promise<void> {
    this.#start();
    await this.#sending;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#buffered.length > 0) {
      const batch = this.#buffered.splice(0, BATCH_SIZE);
      try {
        await this.#send(JSON.stringify(encode(batch)));
      } catch (error) {
        this.#options.onDropped(batch.length);
        this.#options.onError(error);
      }
    }
  }

  #send(body: string): Promise<void> {
    const send = this.#url.protocol === "https:" ? https().request : requestHttp;
    return new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const request = send(this.#url, { method: "POST", headers, signal }, (response) => {
        const { statusCode = 0 } = response;
        response.resume().on("error", reject);
        response.on("end", () =>
          statusCode < 300 ? resolve() : reject(new Error(`the collector answered ${statusCode}`)),
        );
      });
      request.on("error", reject).end(body);
    });
  }
}

/** The message ExportTraceServiceRequest. */
function encode(spans: readonly FinishedSpan[]): object {
  const resource = {
    attributes: encodeAttributes({ "service.name": "wharf", "service.version": VERSION }),
  };
  return {
    resourceSpans: [
      {
        resource,
        scopeSpans: [{ scope: { name: "wharf", version: VERSION }, spans: spans.map(encodeSpan) }],
      },
    ],
  };
}

function encodeSpan(span: FinishedSpan): object {
  const { traceId, spanId, parentId, name, kind, start, end, attributes, isError } = span;
  return {
    traceId,
    spanId,
    ...(parentId !== "" && { parentSpanId: parentId }),
    name,
    kind,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: encodeAttributes(attributes),
    status: isError ? { code: 2 } : {},
  };
}

/** A number of nanoseconds has more digits than a JavaScript number. */
function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n);
}

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined || value === "") return [];
    return [
      {
        key,
        value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
      },
    ];
  });
}
