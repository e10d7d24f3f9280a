/** Sends one request for each operation of the OpenAPI document, and records what is sent and received as its example. */
import assert from "node:assert/strict";
import document from "@wharf/contract/openapi.json" with { type: "json" };
import type { Example } from "../../../../scripts/openapi/examples.ts";
import type { World } from "../support/world/world.ts";
import { Fakes } from "./fakes.ts";
import { shortened } from "./shortened.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
export type Json = any;

type Values = Readonly<Record<string, string | readonly string[]>>;

/** A request, apart from its operation. */
export interface Sent {
  /** Values of the variables in the path, in order. */
  readonly path?: string | readonly string[];
  readonly query?: Values;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body. */
  readonly body?: unknown;
  /** Fields of a form. */
  readonly form?: Values;
  /** The bearer token; that of the operator by default, none if it is empty. */
  readonly token?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >;
}

const OPERATIONS = new Map<string, Operation>(
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(
      ([method, { operationId, ...operation }]): [string, Operation] => [
        operationId,
        { ...operation, path, method: method.toUpperCase() },
      ],
    ),
  ),
);

/** The address of the server in examples. */
const PUBLIC_URL = "https://wharf.example.com";

export class Recorder {
  readonly world: World;
  readonly examples: Record<string, Example> = {};
  readonly #fakes: Fakes;

  /** `aliases`: addresses of this run, and what examples call them. */
  constructor(world: World, aliases: readonly (readonly [string, string])[] = []) {
    this.world = world;
    const { url } = world.server;
    this.#fakes = new Fakes([
      ...aliases,
      [url, PUBLIC_URL],
      // Pages have another name than 127.0.0.1, for passkeys.
      [url.replace("127.0.0.1", "localhost"), PUBLIC_URL],
      [new URL(url).host, new URL(PUBLIC_URL).host],
    ]);
  }

  /** Keeps the times and ids of what a scenario sends without recording it. */
  keep(sent: unknown): void {
    this.#fakes.keep(sent);
  }

  /** Sends a request and records it as the example of the operation. */
  async call(operationId: string, sent: Sent = {}): Promise<Received> {
    const operation = OPERATIONS.get(operationId);
    assert.ok(operation, `no operation ${operationId}`);
    const received = await this.#send(operation, sent);
    const { status, headers, body } = received;
    const response = operation.responses[status];
    assert.ok(
      response !== undefined && status < 400,
      `${operationId}: ${status} ${JSON.stringify(body)}`,
    );
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    const [documented] = Object.keys(response.content ?? {});
    if (documented !== undefined) assert.equal(type, documented, operationId);
    const request = sent.form ?? sent.body;
    this.#fakes.keep(request);
    const fakeRequest = this.#fakes.of(request, `${operationId} request`);
    const fakeBody = shortened(this.#fakes.of(body, operationId));
    const before = this.examples[operationId];
    this.examples[operationId] = {
      ...before,
      ...(request !== undefined && { request: fakeRequest }),
      ...(response.content &&
        body !== undefined && { responses: { ...before?.responses, [status]: fakeBody } }),
    };
    return received;
  }

  /** As `call`, and returns the body. */
  async body(operationId: string, sent: Sent = {}): Promise<Json> {
    return (await this.call(operationId, sent)).body;
  }

  async #send({ path, method, requestBody }: Operation, sent: Sent): Promise<Received> {
    const { query = {}, token = this.world.operator().token } = sent;
    const [type] = Object.keys(requestBody?.content ?? {});
    const values = [sent.path ?? []].flat();
    let at = 0;
    const target = path.replace(/\{[^}]+\}/g, () => values[at++] as string);
    assert.equal(at, values.length, path);
    const headers = {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(sent.body !== undefined && type !== undefined && { "content-type": type }),
      ...sent.headers,
    };
    const body = sent.form ? searchOf(sent.form) : (JSON.stringify(sent.body) ?? null);
    const url = `${this.world.server.url}${target}?${searchOf(query)}`;
    const response = await fetch(url, { method, headers, body, redirect: "manual" });
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  }
}

function searchOf(values: Values): URLSearchParams {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one as string]),
  );
  return new URLSearchParams(pairs);
}

/** Undefined for bytes: a JSON document cannot have them. */
async function bodyOf(response: Response): Promise<Json> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return firstMessage(response);
  if (/html|zip|octet-stream/.test(type)) {
    await response.arrayBuffer();
    return undefined;
  }
  const text = await response.text();
  if (text === "") return undefined;
  return /json/.test(type) ? JSON.parse(text) : text;
}

/** The first message of a stream of server-sent events. */
async function firstMessage(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const message = text.split("\n\n").find((one) => one.includes("data:"));
    if (message !== undefined && text.includes(`${message}\n\n`)) return `${message}\n\n`;
  }
  return text;
}

export type Scenario = (record: Recorder) => Promise<void>;
