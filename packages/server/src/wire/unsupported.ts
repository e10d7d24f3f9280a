/** The methods and routes of the public API that this server does not implement. */
export interface UnsupportedApi {
  readonly routes: readonly UnsupportedRoute[];
  /** The service or method at a gRPC path, if it is unsupported. */
  nameOf(path: string): string | undefined;
}

/** A REST route that answers UNIMPLEMENTED. */
export interface UnsupportedRoute {
  readonly httpMethod: string;
  readonly template: string;
  /** The service or method that the route belongs to. */
  readonly unsupported: string;
}

export const NOTHING_UNSUPPORTED: UnsupportedApi = { routes: [], nameOf: () => undefined };
