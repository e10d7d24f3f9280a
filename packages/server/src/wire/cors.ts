/** Which web pages of other origins may read our answers. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

export interface CorsOptions {
  /** Origins such as `https://console.example`; `*` stands for all, without credentials. */
  readonly origins: readonly string[];
}

const EXPOSED =
  "grpc-status, grpc-message, grpc-status-details-bin, retry-after, x-request-id, " +
  "deprecation, sunset, link";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const ASKED_HEADERS =
  "authorization, content-type, grpc-timeout, x-grpc-web, x-request-id, x-user-agent";

/** Two hours: the longest that browsers remember a preflight. */
const MAX_AGE_SECONDS = "7200";

export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #everyone: boolean;

  constructor(options: CorsOptions) {
    this.#origins = new Set(options.origins);
    this.#everyone = this.#origins.has("*");
  }

  /** True when answers differ by origin, so that caches must keep them apart. */
  get varies(): boolean {
    return this.#origins.size > 0 && !this.#everyone;
  }

  /** Headers for an answer to a page of this origin, if the origin is one of ours. */
  headersFor(origin: string | undefined): OutgoingHttpHeaders | undefined {
    if (origin === undefined) return undefined;
    if (this.#origins.has(origin)) {
      return {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": EXPOSED,
      };
    }
    if (!this.#everyone) return undefined;
    return { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED };
  }

  /**
   * Headers that answer a browser's question before the request proper; undefined when this is
   * not such a question or the origin is not one of ours.
   */
  preflight(headers: IncomingHttpHeaders): OutgoingHttpHeaders | undefined {
    if (headers["access-control-request-method"] === undefined) return undefined;
    const allowed = this.headersFor(headers.origin);
    return (
      allowed && {
        ...allowed,
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": ASKED_HEADERS,
        "access-control-max-age": MAX_AGE_SECONDS,
      }
    );
  }
}
