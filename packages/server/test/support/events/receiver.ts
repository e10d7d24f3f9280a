/** A receiver of events on a port of its own. It verifies requests as the receivers of the public SDK do. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { createRemoteJWKSet, jwtVerify } from "jose";

/** A request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request; the event is verified before. */
export type Answering = (received: Received, response: ServerResponse) => void | Promise<void>;

const accept: Answering = (_received, response) => {
  response.writeHead(200).end();
};

export class Receiver {
  readonly received: Received[] = [];
  readonly #server: Server;
  #answer: Answering;
  #waiting: (() => void)[] = [];

  private constructor(answer: Answering) {
    this.#answer = answer;
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const received = { path: request.url ?? "", headers: request.headers, body };
      this.received.push(received);
      await this.#answer(received, response);
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  static async start(answer: Answering = accept): Promise<Receiver> {
    const receiver = new Receiver(answer);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`;
  }

  /** From now on requests are answered like this. */
  answer(answer: Answering = accept): void {
    this.#answer = answer;
  }

  /** Waits until there is an event that a condition holds for. */
  async event(condition: (received: Received) => boolean): Promise<Received> {
    for (;;) {
      const found = this.received.find(condition);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Waits for an event of a type about a subject. */
  about(subject: string, type = ""): Promise<Received> {
    return this.event(
      ({ headers }) =>
        headers["ce-subject"] === subject && String(headers["ce-type"]).endsWith(type),
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/**
 * The status with which a receiver of the public SDK answers: 401 without a token, 403 for a token of another issuer,
 * audience or group, or of another body, 400 for a request that is no CloudEvent, and 200.
 */
export function sdkReceiver(issuer: string, group: string) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  return async ({ headers, body }: Received): Promise<number> => {
    const isEvent = ["ce-id", "ce-source", "ce-type"].every((name) => headers[name] !== undefined);
    if (!isEvent || headers["ce-specversion"] !== "1.0") return 400;
    const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (token === "") return 401;
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience: "customer" });
      if (payload.sub !== `webhook:${group}`) return 403;
      const { digest } = payload.webhook as { digest: string };
      const actual = `sha256:${createHash("sha256").update(body).digest("hex")}`;
      return digest === actual ? 200 : 403;
    } catch {
      return 403;
    }
  };
}
