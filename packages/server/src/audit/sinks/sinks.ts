import { fileURLToPath } from "node:url";
import type { Settings } from "../../config/settings.ts";
import { Leases } from "../../delivery/leases.ts";
import { DELIVERY_TIMES } from "../../delivery/times.ts";
import { FileSink, rotationOf } from "./file-sink.ts";
import { HttpSink } from "./http-sink.ts";
import { type AuditSink, sinkKey } from "./sink.ts";
import { SyslogSink } from "./syslog-sink.ts";
import { SinkWorker, type SinkWorkerDeps } from "./worker.ts";

export interface SinksDeps extends Omit<SinkWorkerDeps, "leases"> {
  readonly settings: Pick<Settings, "auditSinks" | "auditSinkTokenFile">;
}

/** Sends the audit log to the sinks of the settings. */
export class AuditSinks {
  readonly #workers: readonly SinkWorker[];
  readonly #leases: Leases;

  constructor(deps: SinksDeps) {
    const { auditSinks, auditSinkTokenFile } = deps.settings;
    this.#leases = new Leases(deps.store, DELIVERY_TIMES);
    const shared = { ...deps, leases: this.#leases };
    this.#workers = auditSinks.map((text) => {
      const url = new URL(text);
      return new SinkWorker(shared, sinkOf(url, auditSinkTokenFile), sinkKey(url));
    });
  }

  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#leases.close();
  }
}

function sinkOf(url: URL, tokenFile: string): AuditSink {
  if (url.protocol === "file:")
    return new FileSink(fileURLToPath(url.href.split("?")[0] ?? ""), rotationOf(url));
  if (url.protocol === "syslog+tls:") return new SyslogSink(url);
  return new HttpSink(url, tokenFile);
}
