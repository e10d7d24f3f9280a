/** The health service, grpc.health.v1. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
  Health as HealthService,
  HealthCheckResponse_ServingStatus as Status,
} from "@wharf/contract/gen/health/v1/health_pb.js";
import { invalidArgument, WharfError } from "../../../lib/errors.ts";
import type { Outbox, StreamingCall, StreamingMethod } from "./handler.ts";

/** Whether load balancers should route calls here. */
export interface HealthSource {
  serving(): boolean;
  /** Calls back after changes. */
  onChange(listener: () => void): void;
}

export class Health {
  readonly #source: HealthSource;
  readonly #services: ReadonlySet<string>;
  readonly #watchers = new Set<Watcher>();
  #closed = false;

  /** `services` are full names; "" is the whole server. */
  constructor(source: HealthSource, services: Iterable<string>) {
    this.#source = source;
    this.#services = new Set(["", ...services]);
    source.onChange(() => this.#notifyAll());
  }

  methods(): [path: string, method: StreamingMethod][] {
    const at = `/${HealthService.typeName}`;
    return [
      [`${at}/Check`, (out) => once(out, (bytes) => this.#check(bytes))],
      [`${at}/List`, (out) => once(out, () => this.#list())],
      [`${at}/Watch`, (out) => this.#watch(out)],
    ];
  }

  /** Notifies all watchers that nothing is served any more. */
  close(): void {
    this.#closed = true;
    this.#notifyAll();
  }

  #status(service: string): Status {
    if (!this.#services.has(service)) return Status.SERVICE_UNKNOWN;
    return !this.#closed && this.#source.serving() ? Status.SERVING : Status.NOT_SERVING;
  }

  #check(bytes: Uint8Array): Uint8Array {
    const service = serviceIn(bytes);
    const status = this.#status(service);
    if (status === Status.SERVICE_UNKNOWN) {
      throw new WharfError("NOT_FOUND", `service ${JSON.stringify(service)} is unknown`);
    }
    return encode(status);
  }

  #list(): Uint8Array {
    const entries = [...this.#services].map((name) => [name, { status: this.#status(name) }]);
    const list = create(HealthListResponseSchema, { statuses: Object.fromEntries(entries) });
    return toBinary(HealthListResponseSchema, list);
  }

  #watch(out: Outbox): StreamingCall {
    let watcher: Watcher | undefined;
    return {
      message: (bytes) => {
        if (watcher) throw tooMany();
        watcher = new Watcher(out, serviceIn(bytes));
        watcher.notify(this.#status(watcher.service));
        this.#watchers.add(watcher);
      },
      end: () => {
        if (!watcher) out.finish(tooMany());
      },
      closed: () => {
        if (watcher) this.#watchers.delete(watcher);
      },
    };
  }

  #notifyAll(): void {
    for (const watcher of this.#watchers) watcher.notify(this.#status(watcher.service));
  }
}

class Watcher {
  readonly out: Outbox;
  readonly service: string;
  #last: Status | undefined;

  constructor(out: Outbox, service: string) {
    this.out = out;
    this.service = service;
  }

  /** Sends the status if it has changed. */
  notify(status: Status): void {
    if (status === this.#last) return;
    this.#last = status;
    this.out.send(encode(status));
  }
}

/** A unary method. */
function once(out: Outbox, respond: (bytes: Uint8Array) => Uint8Array): StreamingCall {
  let request: Uint8Array | undefined;
  return {
    message(bytes) {
      if (request) throw tooMany();
      request = bytes;
    },
    end() {
      try {
        if (!request) throw tooMany();
        out.send(respond(request));
        out.finish();
      } catch (thrown) {
        out.finish(WharfError.from(thrown));
      }
    },
    closed() {},
  };
}

function serviceIn(bytes: Uint8Array): string {
  try {
    return fromBinary(HealthCheckRequestSchema, bytes).service;
  } catch {
    const description = "the message is not a valid grpc.health.v1.HealthCheckRequest";
    throw invalidArgument({ field: "", description });
  }
}

function encode(status: Status): Uint8Array {
  return toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status }));
}

function tooMany(): WharfError {
  return new WharfError("UNIMPLEMENTED", "the method takes exactly one message");
}
