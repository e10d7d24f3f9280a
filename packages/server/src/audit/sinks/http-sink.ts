import { readFile } from "node:fs/promises";
import { PinnedClient } from "../../delivery/pinned-client.ts";
import { DELIVERY_TIMES } from "../../delivery/times.ts";
import { type AuditSink, type SinkBatch, SinkError } from "./sink.ts";

/**
 * Posts batches as JSON Lines. Any status from 200 to 299 confirms a batch; otherwise the whole batch is sent again, so
 * receivers ignore entries whose uid they have. The operator chooses the address, so private ones are allowed;
 * redirects are not followed.
 */
export class HttpSink implements AuditSink {
  readonly name: string;
  readonly #client: PinnedClient;
  readonly #tokenFile: string;

  constructor(url: URL, tokenFile: string) {
    this.name = `${url.protocol}//${url.host}${url.pathname}`;
    const { timeoutMs } = DELIVERY_TIMES;
    this.#client = new PinnedClient(url, { anywhere: true, timeoutMs, maxConnections: 1 });
    this.#tokenFile = tokenFile;
  }

  async send({ lines }: SinkBatch): Promise<void> {
    const token = this.#tokenFile === "" ? "" : (await readFile(this.#tokenFile, "utf8")).trim();
    const headers = {
      "content-type": "application/jsonl",
      ...(token !== "" && { authorization: `Bearer ${token}` }),
    };
    const body = lines.map(({ json }) => `${json}\n`).join("");
    const { status, error, retryAfterMs } = await this.#client.post(headers, body);
    if (error !== undefined) throw new SinkError(error);
    if (status < 200 || status > 299)
      throw new SinkError(`the sink answered with status ${status}`, retryAfterMs);
  }

  close(): void {
    this.#client.close();
  }
}
