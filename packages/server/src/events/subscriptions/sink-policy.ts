import { rejectPrivate } from "../../lib/net/fetch-json.ts";
import { isPrivateOrigin } from "../../lib/net/private-origin.ts";

export interface SinkSettings {
  /** Origins that may be reached without TLS and at private addresses. */
  readonly privateSinks: readonly string[];
  /** Whether the server is reachable from this machine only: then sinks on this machine are allowed, too. */
  readonly onLoopback: boolean;
}

/** Which URLs events may be sent to. */
export class SinkPolicy {
  readonly #settings: SinkSettings;

  constructor(settings: SinkSettings) {
    this.#settings = settings;
  }

  /** Why events cannot be sent to a URL; undefined if they can. Names are resolved when something is sent. */
  problem(sink: string): string | undefined {
    const url = URL.parse(sink);
    if (url === null || !/^https?:$/.test(url.protocol)) return "must be an https URL";
    if (url.username !== "" || url.password !== "")
      return "must not contain a user name or password";
    if (url.hash !== "") return "must not have a fragment";
    if (this.mayBePrivate(url)) return undefined;
    try {
      rejectPrivate(url);
      return undefined;
    } catch (error) {
      const why = url.protocol === "https:" ? (error as Error).message : "must be an https URL";
      return `${why}: the operator can allow it with --private-sinks`;
    }
  }

  /** Whether a sink may be reached without TLS and at a private address. */
  mayBePrivate(url: URL): boolean {
    const { privateSinks, onLoopback } = this.#settings;
    return isPrivateOrigin(url, privateSinks, onLoopback);
  }
}
