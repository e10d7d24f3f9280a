import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { connect, type TLSSocket } from "node:tls";
import { HOST_LOOKUP } from "../../lib/net/host-lookup.ts";
import type { AuditSink, SinkBatch, SinkLine } from "./sink.ts";

/** The facility "log audit", with the severities informational and warning. */
const FACILITY = 13;
const INFORMATIONAL = 6;
const WARNING = 4;

const DEFAULT_PORT = 6514;

/** From the connection to the last byte of a batch. */
const TIMEOUT_MS = 10_000;

/**
 * Sends lines as messages of RFC 5424 over TLS (RFC 5425). Syslog has no acknowledgments: a batch counts as sent when the
 * kernel has taken it, so the last ones before a receiver fails may be lost.
 */
export class SyslogSink implements AuditSink {
  readonly name: string;
  readonly #url: URL;
  #socket: Promise<TLSSocket> | undefined;

  constructor(url: URL) {
    this.name = `syslog+tls://${url.host}`;
    this.#url = url;
  }

  async send({ lines }: SinkBatch): Promise<void> {
    this.#socket ??= this.#connect();
    try {
      const socket = await this.#socket;
      await written(socket, Buffer.concat(lines.map(frame)));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.then((one) => one.destroy()).catch(() => {});
  }

  async #connect(): Promise<TLSSocket> {
    const { hostname: host, port, searchParams } = this.#url;
    const caFile = searchParams.get("ca");
    const ca = caFile === null ? undefined : await readFile(caFile);
    const socket = connect({
      host: host.replace(/^\[|\]$/g, ""),
      port: port === "" ? DEFAULT_PORT : Number(port),
      ...(ca && { ca }),
      timeout: TIMEOUT_MS,
      lookup: HOST_LOOKUP.anywhere,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
      socket.once("timeout", () => reject(new Error("the sink does not answer")));
    }).catch((error) => {
      socket.destroy();
      throw error;
    });
    socket.setTimeout(0);
    // Errors are those of the next write.
    socket.on("error", () => {});
    socket.on("close", () => this.close());
    socket.unref();
    return socket;
  }
}

function written(socket: TLSSocket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) return reject(new Error("the connection to the sink is closed"));
    const timer = setTimeout(() => reject(new Error("the sink does not read")), TIMEOUT_MS);
    socket.write(bytes, (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** A message in octet-counting framing. */
function frame(line: SinkLine): Buffer {
  const priority = FACILITY * 8 + (line.isFailure ? WARNING : INFORMATIONAL);
  const time = new Date(line.time).toISOString();
  const message = `<${priority}>1 ${time} ${hostname() || "-"} wharf ${process.pid} audit - ${line.json}`;
  const bytes = Buffer.from(message);
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}
