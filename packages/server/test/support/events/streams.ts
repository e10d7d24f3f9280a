/** Streams of events and audit entries over both protocols, by clients that are not ours. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  fromBinary,
  type JsonObject,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import type { Answer } from "../client/api-client.ts";

/** A message of a stream as JSON; over REST, its id is that of the server-sent event. */
export type Streamed = Answer & { readonly id: string };

/** A stream that is read as it arrives. */
export class EventStream {
  readonly events: Streamed[] = [];
  /** The canonical code with which the stream ended. */
  readonly ended: Promise<number>;
  readonly #cancel: () => void;
  #waiting: (() => void)[] = [];

  private constructor(
    begin: (event: (one: Streamed) => void, end: (code: number) => void) => () => void,
  ) {
    let cancel = () => {};
    this.ended = new Promise((resolve) => {
      cancel = begin((event) => {
        this.events.push(event);
        for (const wake of this.#waiting.splice(0)) wake();
      }, resolve);
    });
    this.#cancel = () => cancel();
  }

  /** Server-sent events, parsed by their specification. Rejects if the answer is no stream. */
  static async overRest(
    url: string,
    token: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    const asked: ClientRequest = request(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    asked.end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    if (response.headers["content-type"] !== "text/event-stream") {
      response.resume();
      throw new Error(`status ${response.statusCode}`);
    }
    return new EventStream((event, end) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const fields = new Map(
            block.split("\n").map((line) => {
              const colon = line.indexOf(":");
              return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
            }),
          );
          const data = fields.get("data");
          if (data === undefined) continue;
          if (fields.get("event") === "error") end(JSON.parse(data).code);
          else event({ ...JSON.parse(data), id: fields.get("id") });
        }
      });
      response.on("close", () => end(1));
      response.on("error", () => end(1));
      return () => asked.destroy();
    });
  }

  /** Resolves once the stream has begun or failed. */
  static async overGrpc<I extends DescMessage>(
    url: string,
    token: string,
    { input, output, parent, name }: DescMethodServerStreaming<I>,
    init: MessageInitShape<I>,
  ): Promise<EventStream> {
    const client = new Client(new URL(url).host, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${token}`);
    const same = (bytes: Buffer) => bytes;
    const bytes = toBinary(input, create(input, init));
    const path = `/${parent.typeName}/${name}`;
    const call = client.makeServerStreamRequest(path, same, same, Buffer.from(bytes), metadata);
    const begun = Promise.race([once(call, "metadata"), once(call, "status")]).catch(() => {});
    const stream = new EventStream((event, end) => {
      call.on("data", (data: Buffer) => {
        const json = toJson(output, fromBinary(output, data)) as JsonObject;
        event({ ...json, id: String(json.id ?? json.uid) });
      });
      call.on("error", () => {});
      call.on("status", ({ code }) => {
        client.close();
        end(code);
      });
      return () => call.cancel();
    });
    await begun;
    return stream;
  }

  /** Waits for an event about a subject. */
  about(subject: string): Promise<Streamed> {
    return this.first((event) => event.subject === subject);
  }

  /** Waits for a message that a condition holds for. */
  async first(condition: (message: Streamed) => boolean): Promise<Streamed> {
    for (;;) {
      const found = this.events.find(condition);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Ends it from the client's side. */
  async cancel(): Promise<void> {
    this.#cancel();
    await this.ended;
  }
}
