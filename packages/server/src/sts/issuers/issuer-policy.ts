import { isIssuerUrl } from "@wharf/trust/issuer-url";
import { isPrivateOrigin } from "../../lib/net/private-origin.ts";

export interface PolicySettings {
  /** If not empty, only these issuers are trusted. Overrides what identities trust. */
  readonly trustedIssuers: readonly string[];
  /** Never trusted. Overrides what identities trust. */
  readonly deniedIssuers: readonly string[];
  /** May be reached without TLS and at private addresses. */
  readonly privateIssuers: readonly string[];
  /** Whether the server is reachable from this machine only: then issuers on this machine are trusted, too. */
  readonly onLoopback: boolean;
}

/** The policy of which issuers the identities of this installation may trust, and at which addresses. */
export class IssuerPolicy {
  readonly #settings: PolicySettings;

  constructor(settings: PolicySettings) {
    this.#settings = settings;
  }

  mayTrust(issuer: string): boolean {
    if (!isIssuerUrl(issuer)) return false;
    const { trustedIssuers, deniedIssuers } = this.#settings;
    // Different spellings of a URL reach the same issuer.
    const normalized = normalize(issuer);
    if (deniedIssuers.some((denied) => normalize(denied) === normalized)) return false;
    return trustedIssuers.length === 0 || trustedIssuers.includes(issuer);
  }

  /**
   * Whether an issuer, or a document or endpoint that it names, may be at a private address and without
   * TLS. A public issuer cannot make us connect to a private issuer or to this machine.
   */
  mayBePrivate(url: string, issuer = url): boolean {
    return this.#isPrivate(url) && this.#isPrivate(issuer);
  }

  #isPrivate(url: string): boolean {
    const { privateIssuers, onLoopback } = this.#settings;
    const parsed = URL.parse(url);
    // The key set of a private issuer must have the same origin.
    return parsed !== null && isPrivateOrigin(parsed, privateIssuers, onLoopback);
  }
}

function normalize(issuer: string): string {
  return (URL.parse(issuer)?.href ?? issuer).replace(/\/+$/, "");
}
