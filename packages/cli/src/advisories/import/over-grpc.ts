import type { Wharf } from "@wharf/client";
import { tokenSource } from "../../auth/source.ts";
import type { Context } from "../../context.ts";
import { version } from "../../version.ts";

/**
 * A client that speaks gRPC, in which documents are a third of what they are in JSON. Only for those
 * that need it: not every proxy lets it through.
 */
export async function overGrpc({ settings, environment, err }: Context): Promise<Wharf> {
  const { createWharf, grpcTransport } = await import("@wharf/client/node");
  return createWharf({
    baseUrl: settings.api,
    authUrl: settings.issuer,
    token: tokenSource(settings, environment, err),
    userAgent: `wharf/${version()}`,
    transport: grpcTransport(),
    onRequest: ({ url, status, ms }) =>
      err.detail(`gRPC ${url} → ${status} in ${ms.toFixed(0)} ms (Authorization: Bearer ****)`),
  });
}
