import type { AccountAssociation } from "@wharf/contract";
import type { Settings } from "../config/settings.ts";
import { FetchError, fetchResponse } from "../lib/fetch-json.ts";

/** One attempt to get credentials with an association. */
export interface Attempt {
  readonly association: AccountAssociation;
  readonly settings: Settings;
  /** Signs a token that says which group asks, for one audience. */
  sign(audience: string): Promise<string>;
}

/** What came of asking a provider for credentials. */
export type Outcome =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: Reason; readonly message: string };

/** Why there are none: nothing is set up here, they said no, they said nothing, or nonsense. */
export type Reason = "NOT_CONFIGURED" | "REFUSED" | "UNREACHABLE" | "MISCONFIGURED";

/** How to read a provider's answers. */
export interface Answers {
  /** The provider's name in messages. */
  readonly provider: string;
  /** Whether an answer holds credentials. Nobody looks at them any further. */
  granted(json: unknown): boolean;
  /** What a refusal says. */
  refusal(json: unknown): string | undefined;
}

/** Enough for the longest sentence that providers write, and little enough for a line. */
const LONGEST_MESSAGE = 400;

/**
 * Asks a provider for credentials and tells whether it gave any. They are dropped at once: not
 * returned, kept or logged.
 *
 * @example const outcome = await exchange(endpoint, { grant_type: "client_credentials", … }, ANSWERS);
 */
export async function exchange(
  url: string,
  form: Readonly<Record<string, string>>,
  { provider, granted, refusal }: Answers,
): Promise<Outcome> {
  try {
    const { status, json } = await fetchResponse(new URL(url), {
      // The operator chose the endpoint, not whoever asks.
      anywhere: true,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
    if (status === 200 && granted(json)) return { ready: true };
    const said = refusal(json);
    if (status >= 500 || status === 429) {
      return notReady(
        "UNREACHABLE",
        `${provider} cannot answer now: ${said ?? `status ${status}`}`,
      );
    }
    if (status >= 400 && said !== undefined) return notReady("REFUSED", `${provider}: ${said}`);
    const description = `the endpoint does not answer as ${provider} does: status ${status}`;
    return notReady("MISCONFIGURED", description);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return notReady("UNREACHABLE", `${provider}: ${error.message}`);
  }
}

/**
 * @example return notReady("NOT_CONFIGURED", "the association names no Amazon account");
 */
export function notReady(reason: Reason, message: string): Outcome {
  return { ready: false, reason, message: presentable(message) };
}

/**
 * What a refusal says in the form of OAuth: `{"error", "error_description"}`.
 *
 * @example oauthRefusal({ error: "invalid_grant" }) // "invalid_grant"
 */
export function oauthRefusal(json: unknown): string | undefined {
  const { error, error_description: description } = members(json);
  return typeof error === "string" ? sentence(error, description) : undefined;
}

/** A code and, where there is one, its explanation. */
export function sentence(code: string, explanation: unknown): string {
  return typeof explanation === "string" ? `${code}: ${explanation}` : code;
}

/** The members of what may be an object. */
export function members(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
}

/** One line, not too long, and no token in it should the other side repeat what it was sent. */
function presentable(text: string): string {
  const line = text
    .replace(/eyJ[\w.-]+/g, "[token]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE - 1)}…` : line;
}
