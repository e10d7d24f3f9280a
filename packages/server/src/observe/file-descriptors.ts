import { close, open, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { FaultLog } from "./fault-log.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

/** Delay of the check after a new connection whether it was the last possible one. */
const CHECK_MS = 100;

/** The interval of checks while there are none left. */
const RETRY_MS = 1_000;

/** Descriptors that a server needs besides connections of clients: store, log, outgoing connections. */
const RESERVED = 100;

const CAUSE = "file_descriptors";

export interface FileDescriptorDeps {
  readonly faults: FaultLog;
  readonly metrics: Pick<Metrics, "count">;
  /** Opens and closes a file. */
  readonly probe?: () => Promise<void>;
  readonly checkMs?: number;
  readonly retryMs?: number;
}

/**
 * Notices that the process, or the system, has no file descriptors left. Node.js then closes the connections that it
 * cannot accept, without telling anybody. So after new connections, a file is opened: if that fails, no connection can
 * be accepted either. Connections that are open go on.
 */
export class FileDescriptors {
  readonly #faults: FaultLog;
  readonly #metrics: Pick<Metrics, "count">;
  readonly #probe: () => Promise<void>;
  readonly #checkMs: number;
  readonly #retryMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the log says so. */
  #isLogged = false;

  constructor({
    faults,
    metrics,
    probe = openAnyFile,
    checkMs = CHECK_MS,
    retryMs = RETRY_MS,
  }: FileDescriptorDeps) {
    this.#faults = faults;
    this.#metrics = metrics;
    this.#probe = probe;
    this.#checkMs = checkMs;
    this.#retryMs = retryMs;
  }

  /** A connection was accepted. */
  accepted(): void {
    this.#schedule(this.#checkMs);
  }

  /** Reports an error if it, or one of its causes, is a lack of file descriptors. */
  check(operation: "accept" | "open" | "request", error: unknown): void {
    if (!lacksDescriptors(error)) return;
    this.#metrics.count("wharf_file_descriptor_errors_total", { operation });
    const message =
      "no file descriptors left: new connections are closed; raise the limit of open files";
    const fields = { operation, limit: openFileLimit(), err: error };
    if (this.#faults.fault(CAUSE, fields, message)) this.#isLogged = true;
    this.#schedule(this.#retryMs);
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#run(), ms).unref();
  }

  async #run(): Promise<void> {
    // A connection that is accepted from now on may take the last descriptor after the file was opened: it is checked, too.
    this.#timer = undefined;
    try {
      await this.#probe();
      if (this.#isLogged) this.#faults.recovered(CAUSE, "file descriptors are available again");
      this.#isLogged = false;
    } catch (error) {
      this.check("open", error);
    }
  }
}

/** Warns if the limit of open files, where it is known, is reached before the limit of connections. */
export function checkOpenFileLimit(maxConnections: number, log: Pick<Logger, "warn">): void {
  const limit = openFileLimit();
  if (limit === undefined || limit >= maxConnections + RESERVED) return;
  const message = `the limit of open files (${limit}) is below --max-connections plus ${RESERVED}: raise it, or lower --max-connections`;
  log.warn({ limit, maxConnections }, message);
}

let limitAtStart: number | undefined;

/** The limit of open files of this process, on Linux. Read once: when it is reached, it cannot be read. */
function openFileLimit(): number | undefined {
  try {
    const limits = limitAtStart === undefined ? readFileSync("/proc/self/limits", "latin1") : "";
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    if (soft !== undefined) limitAtStart = Number(soft);
  } catch {
    // Other systems have no such file.
  }
  return limitAtStart;
}

const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

function lacksDescriptors(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (CODES.has((at as NodeJS.ErrnoException).code)) return true;
  }
  return false;
}

function openAnyFile(): Promise<void> {
  return new Promise((resolve, reject) => {
    open(devNull, (error, fd) => {
      if (error) reject(error);
      else close(fd, () => resolve());
    });
  });
}
