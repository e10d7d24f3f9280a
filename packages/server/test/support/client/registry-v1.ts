import type { HttpRequest } from "./api-error.ts";
import { queryOf } from "./over-rest.ts";
import { type Caller, callV1 } from "./over-v1.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests send and look into messages of every shape.
type Any = any;

const get = (path: string, query: object = {}): HttpRequest => {
  const text = queryOf(query);
  return { method: "GET", path: `/registry/v1/${path}${text && "?"}${text}` };
};
const send = (method: string, path: string, body?: unknown): HttpRequest => {
  return { method, path: `/registry/v1/${path}`, ...(body === undefined ? {} : { body }) };
};
const ofImage = (what: string, { repoId, digest, ...rest }: Any): HttpRequest => {
  return get(`repos/${repoId}/digests/${digest}/${what}`, rest);
};

/** Every method of the registry, and how it is written over REST. */
const ROUTES = {
  CreateRepo: ({ parentId, repo, ...rest }: Any) => {
    return send("POST", `repos/${parentId}?${queryOf(rest)}`, repo);
  },
  UpdateRepo: ({ id, ...repo }: Any) => send("PUT", `repos/${id}`, repo),
  ListRepos: (filter: Any) => get("repos", filter),
  GetRepoCountBySource: ({ id }: Any) => get(`repocountbysource/${id}`),
  DeleteRepo: ({ id }: Any) => send("DELETE", `repos/${id}`),
  CreateTag: ({ repoId, tag }: Any) => send("POST", `tags/${repoId}`, tag),
  UpdateTag: ({ id, ...tag }: Any) => send("PUT", `tags/${id}`, tag),
  DeleteTag: ({ id }: Any) => send("DELETE", `tags/${id}`),
  ListTags: (filter: Any) => get("tags", filter),
  GetRepoTagsSummary: ({ repoId, ...rest }: Any) => get(`repotagssummary/${repoId}`, rest),
  ListEolTags: (filter: Any) => get("eoltags", filter),
  ListTagHistory: ({ parentId, ...rest }: Any) => get(`tags/${parentId}/history`, rest),
  GetImageConfig: (request: Any) => ofImage("imageconfig", request),
  GetArchs: (request: Any) => ofImage("architectures", request),
  GetSize: (request: Any) => ofImage("size", request),
  GetRegistrySettings: ({ registryId }: Any) => get(`settings/${registryId}`),
  UpdateRegistrySettings: ({ registryId, ...rest }: Any) => {
    return send("PUT", `settings/${registryId}`, rest);
  },
};

export type RegistryMethod = keyof typeof ROUTES;

/** The names of all methods. */
export const REGISTRY_METHODS = Object.keys(ROUTES) as RegistryMethod[];

/**
 * Calls a method of the registry of version 1, over gRPC under its public name. Rejects with a
 * Refusal.
 *
 * @example await registryV1(api, "ListTags", { uidp: { childrenOf: repo } });
 */
export function registryV1(caller: Caller, method: RegistryMethod, request: object): Promise<Any> {
  const service = "chainguard.platform.registry.Registry";
  return callV1(caller, { service, method, request, http: ROUTES[method](request) });
}
