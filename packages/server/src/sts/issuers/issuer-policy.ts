import { isLoopbackHost } from "../../lib/ip-ranges.ts";
import { isIssuerUrl } from "../../lib/issuer-url.ts";

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

  mayTrust(issuer: string): boolean {
    if (!isIssuerUrl(issuer)) return false;
    const { trustedIssuers, deniedIssuers } = this.#settings;
    // Other spellings of an address lead to the same issuer.
    const spelled = spelling(issuer);
    if (deniedIssuers.some((denied) => spelling(denied) === spelled)) return false;
    return trustedIssuers.length === 0 || trustedIssuers.includes(issuer);
  }

  /**
   * Whether an issuer, or a document or endpoint that it names, may be at any address and without TLS.
   * What others name is no way to a private issuer, nor to this machine.
   */
  mayBePrivate(url: string, issuer = url): boolean {
    return this.#isPrivate(url) && this.#isPrivate(issuer);
  }

  #isPrivate(url: string): boolean {
    const { privateIssuers, onLoopback } = this.#settings;
    const parsed = URL.parse(url);
    if (parsed === null) return false;
    if (onLoopback && isLoopbackHost(parsed.hostname)) return true;
    // A private issuer's key set may be beside it, not anywhere else.
    return privateIssuers.some((issuer) => URL.parse(issuer)?.origin === parsed.origin);
  }
}

/** One spelling for all addresses that are the same. */
function spelling(issuer: string): string {
  return (URL.parse(issuer)?.href ?? issuer).replace(/\/+$/, "");
}
