import type { Call, Kind } from "./api-error.ts";
import { callOverGrpc } from "./over-grpc.ts";
import { callOverRest, queryOf } from "./over-rest.ts";

export { allRefused, Refusal, refused } from "./api-error.ts";

export type Protocol = "REST" | "gRPC";

/** Both ways to call, for rules that must hold on each. */
export const PROTOCOLS: readonly Protocol[] = ["REST", "gRPC"];

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Shown = any;

/** The five methods that every kind of resource has. Rejects with a Refusal. */
export interface Collection {
  list(request?: object): Promise<Shown>;
  get(uid: string): Promise<Shown>;
  create(parent: string, resource: object): Promise<Shown>;
  update(uid: string, change: object, updateMask?: readonly string[]): Promise<Shown>;
  delete(uid: string): Promise<Shown>;
}

/** The service as one caller sees it over one protocol; answers look the same over both. */
export class Api {
  readonly protocol: Protocol;
  readonly url: string;
  readonly token: string;
  readonly groups: Collection;
  readonly identities: Collection;
  readonly roles: Collection;
  readonly roleBindings: Collection;
  readonly identityProviders: Collection;
  readonly externalGroupRoleMappings: Collection;
  readonly accountAssociations: Collection;
  readonly groupInvites: Collection;
  readonly repos: Collection;
  readonly tags: Collection;
  readonly advisories: Collection;

  constructor(protocol: Protocol, url: string, token: string) {
    this.protocol = protocol;
    this.url = url;
    this.token = token;
    this.groups = this.#collection(kindOf("Group"));
    this.identities = this.#collection(IDENTITIES);
    this.roles = this.#collection(kindOf("Role"));
    this.roleBindings = this.#collection(BINDINGS);
    this.identityProviders = this.#collection(PROVIDERS);
    this.externalGroupRoleMappings = this.#collection(MAPPINGS);
    this.accountAssociations = this.#collection(ASSOCIATIONS);
    this.groupInvites = this.#collection(kindOf("GroupInvite"));
    this.repos = this.#collection(REPOS);
    this.tags = this.#collection(TAGS);
    this.advisories = this.#collection(ADVISORIES);
  }

  /** The same service for another caller. */
  as(token: string): Api {
    return new Api(this.protocol, this.url, token);
  }

  lookupIdentity(request: object): Promise<Shown> {
    return this.#call({ verb: "Lookup", kind: IDENTITIES, request });
  }

  testIdentity(request: object): Promise<Shown> {
    return this.#call({ verb: "Test", kind: IDENTITIES, request });
  }

  batchCreateRoleBindings(request: object): Promise<Shown> {
    return this.#call({ verb: "BatchCreate", kind: BINDINGS, request });
  }

  batchDeleteMappings(request: object): Promise<Shown> {
    return this.#call({ verb: "BatchDelete", kind: MAPPINGS, request });
  }

  /** A method about the provisioning of an identity provider. */
  scim(action: string, identityProviderUid: string, request: object = {}): Promise<Shown> {
    const whole = { ...request, identityProviderUid };
    return this.#call({ verb: { action }, kind: PROVIDERS, request: whole });
  }

  checkAccountAssociation(uid: string, providerType: string): Promise<Shown> {
    return this.#call({ verb: "Check", kind: ASSOCIATIONS, request: { uid, providerType } });
  }

  getReadme(uid: string): Promise<Shown> {
    const rest = { method: "GET", path: `repos/${uid}/readme` };
    return this.#call({ verb: { action: "GetRepoReadme", rest }, kind: REPOS, request: { uid } });
  }

  updateReadme(uid: string, content: string): Promise<Shown> {
    const rest = { method: "PATCH", path: `repos/${uid}/readme`, body: { content } };
    const request = { repoReadme: { uid, content }, updateMask: ["content"] };
    return this.#call({ verb: { action: "UpdateRepoReadme", rest }, kind: REPOS, request });
  }

  tagHistory(uid: string, page: object = {}): Promise<Shown> {
    const rest = { method: "GET", path: `tags/${uid}/history?${queryOf(page)}` };
    const request = { uid, ...page };
    return this.#call({ verb: { action: "ListTagHistory", rest }, kind: TAGS, request });
  }

  architectures(repoUid: string, digest: string): Promise<Shown> {
    const rest = { method: "GET", path: `repos/${repoUid}/digests/${digest}/architectures` };
    const request = { repoUid, digest };
    return this.#call({ verb: { action: "GetArchitectures", rest }, kind: IMAGES, request });
  }

  size(repoUid: string, digest: string, more: object = {}): Promise<Shown> {
    const path = `repos/${repoUid}/digests/${digest}/size?${queryOf(more)}`;
    const verb = { action: "GetSize", rest: { method: "GET", path } };
    return this.#call({ verb, kind: IMAGES, request: { repoUid, digest, ...more } });
  }

  importAdvisories(
    parent: string,
    documents: readonly object[],
    more: object = {},
  ): Promise<Shown> {
    const body = { documents, ...more };
    const rest = { method: "POST", path: `advisories/${parent}:import`, body };
    const verb = { action: "ImportAdvisories", rest };
    return this.#call({ verb, kind: IMPORTS, request: { parent, ...body } });
  }

  #collection(kind: Kind): Collection {
    const call = (verb: Call["verb"], request: object) => this.#call({ verb, kind, request });
    return {
      list: (request = {}) => call("List", request),
      get: (uid) => call("Get", { uid }),
      create: (parent, resource) => call("Create", { parent, [kind.field]: resource }),
      update: (uid, change, updateMask) =>
        call("Update", {
          [kind.field]: { ...change, uid },
          ...(updateMask === undefined ? {} : { updateMask }),
        }),
      delete: (uid) => call("Delete", { uid }),
    };
  }

  #call(call: Call): Promise<Shown> {
    const send = this.protocol === "REST" ? callOverRest : callOverGrpc;
    return send(this.url, this.token, call);
  }
}

/**
 * The names of a kind of resource, from what one and several of it are called.
 *
 * @example kindOf("Identity", "Identities").collection // "identities"
 */
export function kindOf(one: string, many = `${one}s`, domain: Kind["domain"] = "iam"): Kind {
  const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
  const [collection, field] = [lower(many), lower(one)];
  return { domain, service: `${many}Service`, one, many, collection, field };
}

const IDENTITIES = kindOf("Identity", "Identities");
const BINDINGS = kindOf("RoleBinding");
const PROVIDERS = kindOf("IdentityProvider");
const MAPPINGS = kindOf("ExternalGroupRoleMapping");
const ASSOCIATIONS = kindOf("AccountAssociation");
const REPOS = kindOf("Repo", "Repos", "registry");
const TAGS = kindOf("Tag", "Tags", "registry");
const ADVISORIES = kindOf("Advisory", "Advisories", "vulnerabilities");
const IMPORTS = kindOf("AdvisoryImport", "AdvisoryImports", "vulnerabilities");
const IMAGES = kindOf("Image", "Images", "registry");
