import type { HttpEndpoint, HttpResponse } from "../wire/endpoint.ts";
import { type RegistryKeys, registryJwks } from "./access/keys.ts";
import { type TokenEndpointDeps, tokenEndpoints } from "./access/token-endpoint.ts";

/** A registry's file is fetched seldom, and then to be right. */
const PUBLISHED = { "cache-control": "no-cache" };

/**
 * Everything that registries and their clients ask us for: tokens, and the keys to check them with.
 *
 * @example await openPort({ …, endpoints: [...registryEndpoints(parts)] });
 */
export function registryEndpoints(parts: TokenEndpointDeps): HttpEndpoint[] {
  return [
    ...tokenEndpoints(parts),
    { method: "GET", path: "/registry/certs.pem", handle: () => certificates(parts.keys) },
    { method: "GET", path: "/registry/jwks.json", handle: () => jwks(parts.keys) },
  ];
}

async function certificates(keys: RegistryKeys): Promise<HttpResponse> {
  const body = (await keys.published()).map(({ certificate }) => certificate).join("");
  return {
    status: 200,
    headers: { "content-type": "application/x-pem-file", ...PUBLISHED },
    body,
  };
}

async function jwks(keys: RegistryKeys): Promise<HttpResponse> {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...PUBLISHED },
    body: JSON.stringify(registryJwks(await keys.published())),
  };
}
