import type { OutgoingHttpHeaders } from "node:http";
import { fetchAnswer } from "../../lib/fetch-json.ts";
import type { IssuerPolicy } from "../../sts/issuers/issuer-policy.ts";

/** What the OpenID client asks of a fetch function. */
interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/**
 * A fetch for the OpenID client that goes nowhere our own reading of issuers would not go: no
 * redirects, bounded in time and size, public addresses over https unless the policy says otherwise
 * of the provider's issuer.
 */
export function guardedFetch(
  policy: IssuerPolicy,
  issuer: string,
): (url: string, init: Init) => Promise<Response> {
  return async (url, { method = "GET", headers = {}, body }) => {
    const sent: OutgoingHttpHeaders = { ...headers };
    const text = body === undefined || body === null ? undefined : String(body);
    if (text !== undefined) sent["content-length"] = Buffer.byteLength(text);
    const { status, json } = await fetchAnswer(new URL(url), {
      anywhere: policy.mayBePrivate(url, issuer),
      method,
      headers: sent,
      ...(text === undefined ? {} : { body: text }),
    });
    return Response.json(json ?? null, { status });
  };
}
