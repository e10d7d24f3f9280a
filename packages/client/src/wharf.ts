import type { DescMethod, DescMethodUnary, Message, MessageShape } from "@bufbuild/protobuf";
import { type CallContext, type CallOptions, performCall, streamCall } from "./call.ts";
import { allItems } from "./pages.ts";
import { type RequestOf, requestMessage } from "./request.ts";
import { type Fetch, overFetch } from "./rest/http.ts";
import { restTransport } from "./rest/transport.ts";
import { CLIENT_SERVICES, isPaged, type ServiceClients, type ServiceName } from "./services.ts";
import { shortName } from "./short-name.ts";
import { tokenSource } from "./tokens/fixed.ts";
import type { TokenSource } from "./tokens/source.ts";
import type { Sent, Transport } from "./transport.ts";

export interface WharfOptions {
  /** The URL of the API, such as `https://wharf.example.com`. */
  readonly baseUrl: string;
  /** The URL of the issuer. Default: the base URL. */
  readonly authUrl?: string | undefined;
  /** A token or a token source. Without one, only public methods can be called. */
  readonly token?: TokenSource | string | undefined;
  /** Default: REST with `fetch`. See `httpTransport` and `grpcTransport` in `@wharf/client/node`. */
  readonly transport?: Transport | undefined;
  /** Replaces the global `fetch` for REST. */
  readonly fetch?: Fetch | undefined;
  /** The `User-Agent` of requests; browsers send it as `X-User-Agent`. */
  readonly userAgent?: string | undefined;
  /** The timeout of a call, retries included. Default: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of reads and creates after transient errors. Default: 2. */
  readonly retries?: number | undefined;
  /** Called after every attempt; never sees tokens. */
  readonly onRequest?: ((sent: Sent) => void) | undefined;
}

/** A client: every service of the contract, and any method by its descriptor. */
export interface Wharf extends ServiceClients {
  /**
   * Calls a method by its descriptor.
   *
   * @example await wharf.call(GroupsService.method.getGroup, { uid }, { signal });
   */
  call<Method extends Pick<DescMethodUnary, "input" | "output">>(
    method: Method & DescMethod,
    request: RequestOf<Method["input"]>,
    options?: CallOptions,
  ): Promise<MessageShape<Method["output"]>>;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 2;

/** Browsers do not let pages set `User-Agent`. */
const inNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions
  ?.node;

/**
 * Creates a client.
 *
 * @example
 * const wharf = createWharf({ baseUrl: "https://wharf.example.com", token });
 * for await (const group of wharf.groups.listAll()) console.log(group.name);
 */
export function createWharf(options: WharfOptions): Wharf {
  const context = callContextOf(options);
  const send = (method: DescMethod, request: Message, callOptions: CallOptions) =>
    performCall(context, method, request, callOptions);
  const message = (method: DescMethod, request: object) =>
    requestMessage(method.input, request as RequestOf<DescMethod["input"]>);
  const call = (method: DescMethod, request: object = {}, callOptions: CallOptions = {}) =>
    settled(() => send(method, message(method, request), callOptions));
  const functionsOf = (name: ServiceName) => {
    const functions: Record<string, unknown> = {};
    for (const method of CLIENT_SERVICES[name].methods as readonly DescMethod[]) {
      const short = shortName(method.localName, name);
      if (method.methodKind === "server_streaming") {
        functions[short] = (request: object = {}, callOptions: CallOptions = {}) =>
          streamCall(context, method, message(method, request), callOptions);
        continue;
      }
      functions[short] = (request?: object, callOptions?: CallOptions) =>
        call(method, request, callOptions);
      if (!isPaged(method)) continue;
      functions[`${short}All`] = (request: object = {}, callOptions: CallOptions = {}) =>
        allItems(method, message(method, request), callOptions, (page, pageOptions) =>
          settled(() => send(method, page, pageOptions)),
        );
    }
    return functions;
  };
  const wharf = { call };
  for (const name of Object.keys(CLIENT_SERVICES))
    defineLazily(wharf, name as ServiceName, functionsOf);
  return wharf as Wharf;
}

/** Defines a property whose value is made when it is first read: programs use few of the services. */
function defineLazily(on: object, name: ServiceName, make: (name: ServiceName) => unknown): void {
  Object.defineProperty(on, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make(name);
      Object.defineProperty(on, name, { value, enumerable: true });
      return value;
    },
  });
}

/** Turns errors before the first attempt into rejections. */
async function settled<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function callContextOf(options: WharfOptions): CallContext {
  const baseUrl = addressOf(options.baseUrl);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const userAgent = options.userAgent ?? (inNode ? "wharf-client" : undefined);
  return {
    transport: options.transport ?? restTransport(overFetch(fetch)),
    baseUrl,
    authUrl: options.authUrl === undefined ? baseUrl : addressOf(options.authUrl),
    token: options.token === undefined ? undefined : tokenSource(options.token),
    headers: userAgent === undefined ? {} : { [inNode ? "user-agent" : "x-user-agent"]: userAgent },
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    attempts: 1 + (options.retries ?? RETRIES),
    onRequest: options.onRequest ?? (() => {}),
  };
}

/** Validates a URL and removes trailing slashes. Throws a TypeError. */
function addressOf(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError(`${JSON.stringify(url)} must begin with https:// or http://`);
  }
  return href.replace(/\/+$/, "");
}
