/** A client of the contract: either version, either protocol, routes and names from descriptors. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { serviceNames } from "@wharf/contract";
import { ApiError, httpStatusOf } from "./api-error.ts";
import {
  COLLECTION_NAMES,
  type Collections,
  collectionOf,
  methodNamed,
  type Version,
} from "./collections.ts";
import { mustBeDocumented } from "./documented-errors.ts";
import { callUnary } from "./grpc.ts";
import { Http } from "./http.ts";
import { httpRequestOf } from "./transcoding.ts";

export type Protocol = "REST" | "gRPC";

/** Both protocols, for rules that must hold on each. */
export const PROTOCOLS: readonly Protocol[] = ["REST", "gRPC"];

/** The caller, the server and the protocol. */
export interface ApiOptions {
  readonly url: string;
  readonly token: string;
  /** The version of the collections; v2beta1 by default. */
  readonly version?: Version;
  /** REST by default. */
  readonly protocol?: Protocol;
  /**
   * Whether gRPC calls name services as we do or as existing clients do. By default the former for
   * v2beta1 and the latter for v1.
   */
  readonly naming?: "own" | "public";
  /** Header fields, or metadata, of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets the header fields, or metadata, of every response. */
  readonly received?: (field: (name: string) => string | null) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answer = any;

/**
 * The service as one caller sees it. Answers and errors look the same over both protocols.
 *
 * @example
 * const api = new ApiClient({ url: server.url, token, protocol: "gRPC" });
 * const { uid } = await api.groups.create("", { name: "acme" });
 * await api.v1.registry.createRepo({ parentId: uid, repo: { name: "app" } });
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: collections are defined from descriptors, below.
export class ApiClient {
  readonly url: string;
  readonly token: string;
  readonly version: Version;
  readonly protocol: Protocol;
  readonly #naming: ApiOptions["naming"];
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    const { url, token, version = "v2beta1", protocol = "REST", naming } = options;
    this.#options = options;
    this.url = url;
    this.token = token;
    this.version = version;
    this.protocol = protocol;
    this.#naming = naming;
  }

  /** The same for another caller. */
  as(token: string): ApiClient {
    return this.#with({ token });
  }

  /** The same caller in another version, over another protocol, or under other names. */
  over(change: Pick<ApiOptions, "version" | "protocol" | "naming">): ApiClient {
    return this.#with(change);
  }

  /** The same caller with an idempotency key. */
  keyed(key: string, received: NonNullable<ApiOptions["received"]> = () => {}): ApiClient {
    return this.#with({ headers: { "idempotency-key": key }, received });
  }

  /** The same caller, who only tries. */
  trying(received: NonNullable<ApiOptions["received"]> = () => {}): ApiClient {
    return this.#with({ headers: { "wharf-dry-run": "true" }, received });
  }

  /** The same caller in version 1. */
  get v1(): ApiClient {
    return this.over({ version: "v1" });
  }

  /**
   * Calls any method of any version. Rejects with an ApiError.
   *
   * @example await api.call(groupsV1.Groups, "List", { id });
   */
  async call(service: DescService, name: string, request: object = {}): Promise<Answer> {
    const method = methodNamed(service, name);
    if (method === undefined) throw new Error(`${service} has no ${name}`);
    const over = this.protocol === "REST" ? this.#overRest : this.#overGrpc;
    return over.call(this, method, request).catch((error: unknown) => {
      if (error instanceof ApiError) mustBeDocumented(method, error);
      throw error;
    });
  }

  #overGrpc(method: DescMethod, request: object): Promise<Answer> {
    const { headers, received } = this.#options;
    const known = this.#nameOf(method.parent);
    return callUnary(this.url, this.token, known, method, request, headers, (metadata) => {
      received?.((field) => metadata.get(field)[0]?.toString() ?? null);
    });
  }

  async #overRest(method: DescMethod, request: object): Promise<Answer> {
    const { verb, path, body } = httpRequestOf(method, request);
    const { headers, received } = this.#options;
    const answer = await new Http(this.url, this.token, headers).send(verb, path, body);
    received?.((field) => answer.headers.get(field));
    if (answer.status === 200) return answer.body;
    const { code, message, details } = answer.body;
    if (answer.status !== httpStatusOf(code)) {
      throw new Error(`${verb} ${path}: ${message} has code ${code} and status ${answer.status}`);
    }
    throw new ApiError(code, message, details);
  }

  #nameOf(service: DescService): string {
    const [own, known] = serviceNames(service) as [string, string?];
    const naming = this.#naming ?? (/\.v1\./.test(own) ? "public" : "own");
    return naming === "public" && known !== undefined ? known : own;
  }

  #with(change: Partial<ApiOptions>): ApiClient {
    return new ApiClient({ ...this.#options, ...change });
  }
}

export interface ApiClient extends Collections {}

for (const name of COLLECTION_NAMES) {
  Object.defineProperty(ApiClient.prototype, name, {
    get(this: ApiClient) {
      return collectionOf(this.version, name, (service, method, request) => {
        return this.call(service, method, request);
      });
    },
  });
}
