import { readFile } from "node:fs/promises";
import { fetchResponse } from "../../lib/fetch-json.ts";
import type { AuditSink, SinkBatch } from "./sink.ts";

/**
 * Posts batches as JSON Lines. Any status from 200 to 299 confirms a batch; otherwise the whole batch is sent again, so
 * receivers ignore entries whose uid they have. The operator chooses the address, so private ones are allowed;
 * redirects are not followed.
 */
export class HttpSink implements AuditSink {
  readonly name: string;
  readonly #url: URL;
  readonly #tokenFile: string;

  constructor(url: URL, tokenFile: string) {
    this.name = `${url.protocol}//${url.host}${url.pathname}`;
    this.#url = url;
    this.#tokenFile = tokenFile;
  }

  async send({ lines }: SinkBatch): Promise<void> {
    const token = this.#tokenFile === "" ? "" : (await readFile(this.#tokenFile, "utf8")).trim();
    const { status } = await fetchResponse(this.#url, {
      anywhere: true,
      method: "POST",
      headers: {
        "content-type": "application/jsonl",
        ...(token !== "" && { authorization: `Bearer ${token}` }),
      },
      body: lines.map(({ json }) => `${json}\n`).join(""),
    });
    if (status < 200 || status > 299) throw new Error(`the sink answered with status ${status}`);
  }

  close(): void {}
}
