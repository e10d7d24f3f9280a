import type { DescMethod, DescMethodUnary, Message, MessageShape } from "@bufbuild/protobuf";
import { type Calling, type CallOptions, performCall } from "./call.ts";
import { eachItem } from "./pages.ts";
import { type RequestOf, requestMessage } from "./request.ts";
import { type Fetch, restTransport } from "./rest/transport.ts";
import { CLIENT_SERVICES, isPaged, type ServiceClients, shortName } from "./services.ts";
import { tokenSource } from "./tokens/fixed.ts";
import type { TokenSource } from "./tokens/source.ts";
import type { Sent, Transport } from "./transport.ts";

export interface WharfOptions {
  /** Where the API is, such as `https://wharf.example.com`. */
  readonly baseUrl: string;
  /** Where tokens are exchanged. Default: the base URL. */
  readonly authUrl?: string | undefined;
  /** A token, or where tokens come from. Without one, only what needs none can be called. */
  readonly token?: TokenSource | string | undefined;
  /** Default: REST. See `grpcTransport` in `@wharf/client/node`. */
  readonly transport?: Transport | undefined;
  /** Used by REST in place of the global one. */
  readonly fetch?: Fetch | undefined;
  /** Names the program in the server's log. Browsers send it as `x-user-agent`. */
  readonly userAgent?: string | undefined;
  /** How long a call may take, all attempts included. Default: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** How often a read that failed in passing is tried again. Default: 2, so three attempts. */
  readonly retries?: number | undefined;
  /** Told of every attempt once it is over; never of tokens. */
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

/** Browsers have a name of their own, and do not let pages choose another. */
const inNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions
  ?.node;

/**
 * Makes a client.
 *
 * @example
 * const wharf = createWharf({ baseUrl: "https://wharf.example.com", token });
 * for await (const group of wharf.groups.listAll()) console.log(group.name);
 */
export function createWharf(options: WharfOptions): Wharf {
  const calling = callingOf(options);
  const send = (method: DescMethod, request: Message, callOptions: CallOptions) =>
    performCall(calling, method, request, callOptions);
  const message = (method: DescMethod, request: object) =>
    requestMessage(method.input, request as RequestOf<DescMethod["input"]>);
  const call = (method: DescMethod, request: object = {}, callOptions: CallOptions = {}) =>
    settled(() => send(method, message(method, request), callOptions));
  const services = Object.entries(CLIENT_SERVICES).map(([name, service]) => {
    const functions: Record<string, unknown> = {};
    for (const method of service.methods) {
      const short = shortName(method.localName, name);
      functions[short] = (request?: object, callOptions?: CallOptions) =>
        call(method, request, callOptions);
      if (!isPaged(method)) continue;
      functions[`${short}All`] = (request: object = {}, callOptions: CallOptions = {}) =>
        eachItem(method, message(method, request), callOptions, (page, pageOptions) =>
          settled(() => send(method, page, pageOptions)),
        );
    }
    return [name, functions];
  });
  return { ...Object.fromEntries(services), call } as Wharf;
}

/** What goes wrong before anything is sent rejects as well. */
async function settled<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function callingOf(options: WharfOptions): Calling {
  const baseUrl = addressOf(options.baseUrl);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const userAgent = options.userAgent ?? (inNode ? "wharf-client" : undefined);
  return {
    transport: options.transport ?? restTransport(fetch),
    baseUrl,
    authUrl: options.authUrl === undefined ? baseUrl : addressOf(options.authUrl),
    token: options.token === undefined ? undefined : tokenSource(options.token),
    headers: userAgent === undefined ? {} : { [inNode ? "user-agent" : "x-user-agent"]: userAgent },
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    attempts: 1 + (options.retries ?? RETRIES),
    onRequest: options.onRequest ?? (() => {}),
  };
}

/** Throws a TypeError on what is no address; one with a slash at its end is the same without. */
function addressOf(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError(`${JSON.stringify(url)} must begin with https:// or http://`);
  }
  return href.replace(/\/+$/, "");
}
