import type { OutgoingHttpHeaders } from "node:http";
import { fetchResponse } from "../../lib/net/fetch-json.ts";
import type { IssuerPolicy } from "../../sts/issuers/issuer-policy.ts";

/** The fetch options that the OpenID client uses. */
interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/**
 * A fetch function for the OpenID client with the same restrictions as fetching issuer keys: no
 * redirects, bounded time and size, public addresses over https unless the policy allows the issuer
 * to be private.
 */
export function guardedFetch(
  policy: IssuerPolicy,
  issuer: string,
): (url: string, init: Init) => Promise<Response> {
  return async (url, { method = "GET", headers = {}, body }) => {
    const sent: OutgoingHttpHeaders = { ...headers };
    const text = body === undefined || body === null ? undefined : String(body);
    if (text !== undefined) sent["content-length"] = Buffer.byteLength(text);
    const { status, json } = await fetchResponse(new URL(url), {
      anywhere: policy.mayBePrivate(url, issuer),
      method,
      headers: sent,
      ...(text === undefined ? {} : { body: text }),
    });
    return Response.json(json ?? null, { status });
  };
}
