import { isLoopbackHost } from "./addresses.ts";

export interface PolicySettings {
  /** When not empty, no other issuer is trusted, whatever identities say. */
  readonly trustedIssuers: readonly string[];
  /** Never trusted, whatever identities say. */
  readonly deniedIssuers: readonly string[];
  /** May be reached without TLS and at addresses that are not public. */
  readonly privateIssuers: readonly string[];
  /** Whether only this machine can reach us: then issuers on this machine are as good as we are. */
  readonly onLoopback: boolean;
}

/** Which issuers this installation lets its identities trust, and where they may be. */
export class IssuerPolicy {
  readonly #settings: PolicySettings;

  constructor(settings: PolicySettings) {
    this.#settings = settings;
  }

  /**
   * @example if (!policy.mayTrust(claims.iss)) throw …
   */
  mayTrust(issuer: string): boolean {
    const { trustedIssuers, deniedIssuers } = this.#settings;
    if (deniedIssuers.includes(issuer)) return false;
    return trustedIssuers.length === 0 || trustedIssuers.includes(issuer);
  }

  /** Whether a document of an issuer, or the issuer itself, may be at any address and without TLS. */
  mayBeAnywhere(url: string): boolean {
    const { privateIssuers, onLoopback } = this.#settings;
    const parsed = URL.parse(url);
    if (parsed === null) return false;
    if (onLoopback && isLoopbackHost(parsed.hostname)) return true;
    // A private issuer's key set may be beside it, not anywhere else.
    return privateIssuers.some((issuer) => URL.parse(issuer)?.origin === parsed.origin);
  }
}
