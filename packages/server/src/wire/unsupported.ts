/** What others do under the names of this contract, and this server does not. */
export interface Outside {
  readonly routes: readonly OutsideRoute[];
  /** The name of the service or method at a gRPC path, where it is outside. */
  nameOf(path: string): string | undefined;
}

/** A path over REST that is outside. */
export interface OutsideRoute {
  readonly httpMethod: string;
  readonly template: string;
  /** The service or method that it belongs to. */
  readonly outside: string;
}

export const NOTHING_OUTSIDE: Outside = { routes: [], nameOf: () => undefined };
