import { Auth } from "@wharf/contract";
import { ANONYMOUS } from "../auth/caller.ts";
import type { WharfError } from "../lib/errors.ts";
import type { Call, RequestInfo } from "../rpc/call.ts";
import type { HttpRequest } from "../wire/endpoint.ts";

/** A request to an endpoint, as RPCs see requests: it ends when that one does. */
export class EndpointRequestInfo implements RequestInfo {
  readonly requestId: string;
  readonly authorization: string | undefined;
  readonly format = "json";
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly via: RequestInfo["via"];
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, via: RequestInfo["via"], authorization?: string) {
    this.requestId = request.requestId;
    this.authorization = authorization;
    this.remoteAddress = request.remoteAddress;
    this.userAgent = request.headers["user-agent"] ?? "";
    this.via = via;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get abandoned(): WharfError | undefined {
    return this.#request.abandoned;
  }
}

/** The call that a browser request stands for. The audit log shows it as a registration. */
export class BrowserCall extends EndpointRequestInfo implements Call {
  readonly method = Auth.method.register;
  readonly caller = ANONYMOUS;
  readonly time = Date.now();

  constructor(request: HttpRequest) {
    super(request, "console");
  }
}
