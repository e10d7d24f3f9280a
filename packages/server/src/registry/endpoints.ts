import type { HttpEndpoint, HttpResponse } from "../wire/endpoint.ts";
import { type RegistryKeys, registryJwks } from "./access/keys.ts";
import { type TokenEndpointDeps, tokenEndpoints } from "./access/token-endpoint.ts";

/** Key files are fetched rarely and must be current. */
const NO_CACHE = { "cache-control": "no-cache" };

/** The endpoints for registries and their clients: tokens, and the keys that verify them. */
export function registryEndpoints(deps: TokenEndpointDeps): HttpEndpoint[] {
  return [
    ...tokenEndpoints(deps),
    {
      method: "GET",
      path: "/registry/certs.pem",
      isPolled: true,
      handle: () => certificateResponse(deps.keys),
    },
    {
      method: "GET",
      path: "/registry/jwks.json",
      isPolled: true,
      handle: () => jwksResponse(deps.keys),
    },
  ];
}

async function certificateResponse(keys: RegistryKeys): Promise<HttpResponse> {
  const body = (await keys.published()).map(({ certificate }) => certificate).join("");
  return {
    status: 200,
    headers: { "content-type": "application/x-pem-file", ...NO_CACHE },
    body,
  };
}

async function jwksResponse(keys: RegistryKeys): Promise<HttpResponse> {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...NO_CACHE },
    body: JSON.stringify(registryJwks(await keys.published())),
  };
}
