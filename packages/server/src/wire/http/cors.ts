/** Cross-origin resource sharing: the origins whose pages may read responses. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

export interface CorsOptions {
  /** Origins such as `https://console.example`; `*` stands for all, without credentials. */
  readonly origins: readonly string[];
}

const EXPOSED_HEADERS =
  "grpc-status, grpc-message, grpc-status-details-bin, retry-after, x-request-id, " +
  "deprecation, sunset, link, idempotency-replayed, wharf-dry-run, " +
  "warning, www-authenticate, preference-applied";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS =
  "authorization, connect-protocol-version, connect-timeout-ms, content-type, grpc-timeout, idempotency-key, prefer, " +
  "wharf-dry-run, x-grpc-web, x-request-id, x-user-agent";

/** Two hours: the maximum in Chromium. */
const MAX_AGE_SECONDS = "7200";

export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #allowsAll: boolean;

  constructor(options: CorsOptions) {
    this.#origins = new Set(options.origins);
    this.#allowsAll = this.#origins.has("*");
  }

  /** Whether responses differ by origin: they need `Vary: Origin`. */
  get varies(): boolean {
    return this.#origins.size > 0 && !this.#allowsAll;
  }

  /** Response headers for a request of this origin, if it is allowed. */
  headersFor(origin: string | undefined): OutgoingHttpHeaders | undefined {
    if (origin === undefined) return undefined;
    if (this.#origins.has(origin)) {
      return {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": EXPOSED_HEADERS,
      };
    }
    if (!this.#allowsAll) return undefined;
    return { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED_HEADERS };
  }

  /** Response headers of a preflight; undefined if the request is none or the origin is not allowed. */
  preflight(headers: IncomingHttpHeaders): OutgoingHttpHeaders | undefined {
    if (headers["access-control-request-method"] === undefined) return undefined;
    const allowed = this.headersFor(headers.origin);
    return (
      allowed && {
        ...allowed,
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": MAX_AGE_SECONDS,
      }
    );
  }
}
