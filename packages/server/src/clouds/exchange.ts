import type { AccountAssociation } from "@wharf/contract";
import type { Settings } from "../config/settings.ts";
import { FetchError, fetchResponse } from "../lib/net/fetch-json.ts";

/** An attempt to get credentials with an association. */
export interface Attempt {
  readonly association: AccountAssociation;
  readonly settings: Settings;
  /** Signs a token for one audience, whose subject is the association. */
  sign(audience: string): Promise<string>;
  /** The trace of the request that asks for it. */
  readonly traceparent: string | undefined;
}

/** Result of an attempt: credentials could be had, or the reason why not. */
export type CredentialCheck =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: Reason; readonly message: string };

/**
 * Why there are no credentials: the association does not name the provider, the provider rejected the
 * token, did not answer, or the endpoint is not that of the provider.
 */
export type Reason = "NOT_CONFIGURED" | "REFUSED" | "UNREACHABLE" | "MISCONFIGURED";

/** Parser for the responses of a provider. */
export interface ResponseFormat {
  /** The name of the provider in messages. */
  readonly provider: string;
  /** Whether a response has credentials. They are not parsed. */
  hasCredentials(json: unknown): boolean;
  /** The text of an error response; undefined if it is none. */
  errorText(json: unknown): string | undefined;
}

const MAX_MESSAGE_LENGTH = 400;

/** Exchanges a token for credentials of a provider. They are dropped: not returned, stored or logged. */
export async function exchange(
  url: string,
  form: Readonly<Record<string, string>>,
  { provider, hasCredentials, errorText }: ResponseFormat,
  traceparent?: string,
): Promise<CredentialCheck> {
  try {
    const { status, json } = await fetchResponse(new URL(url), {
      // The operator configures the endpoint, not the caller, so private addresses are allowed.
      anywhere: true,
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(traceparent !== undefined && { traceparent }),
      },
      body: new URLSearchParams(form).toString(),
    });
    if (status === 200 && hasCredentials(json)) return { ready: true };
    const error = errorText(json);
    if (status >= 500 || status === 429) {
      const message = `${provider} cannot answer now: ${error ?? `status ${status}`}`;
      return notReady("UNREACHABLE", message);
    }
    if (status >= 400 && error !== undefined) return notReady("REFUSED", `${provider}: ${error}`);
    const message = `the endpoint does not answer as ${provider} does: status ${status}`;
    return notReady("MISCONFIGURED", message);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return notReady("UNREACHABLE", `${provider}: ${error.message}`);
  }
}

export function notReady(reason: Reason, message: string): CredentialCheck {
  return { ready: false, reason, message: sanitize(message) };
}

/** The text of an OAuth error response: `{"error", "error_description"}`. */
export function oauthErrorText(json: unknown): string | undefined {
  const { error, error_description: description } = members(json);
  return typeof error === "string" ? formatError(error, description) : undefined;
}

/** An error code with its description, if there is one. */
export function formatError(code: string, description: unknown): string {
  return typeof description === "string" ? `${code}: ${description}` : code;
}

/** The members of a value that may be an object. */
export function members(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
}

/** A single line of bounded length, without tokens, which a provider may quote in its error. */
function sanitize(text: string): string {
  const line = text
    .replace(/eyJ[\w.-]+/g, "[token]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : line;
}
