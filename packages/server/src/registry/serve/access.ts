import { ANONYMOUS_UID, type Caller } from "../../auth/caller.ts";
import { Grants } from "../../auth/grants.ts";
import { readBearer } from "../../lib/bearer.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { ownService, registryHosts } from "../../sts/audiences.ts";
import { updateLastSeen } from "../../sts/exchange-audit.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import {
  authenticate,
  isBasic,
  publicGrants,
  readAuthorization,
  wrongAudience,
} from "../access/credentials.ts";
import { grantPath, type Requester } from "../access/registry-access.ts";
import { type VerifiedRegistryToken, verifyRegistryToken } from "../access/registry-token.ts";
import type { Action } from "../access/scope.ts";
import type { ResourceActions } from "../access/token.ts";
import type { TokenEndpointDeps } from "../access/token-endpoint.ts";
import type { ResolvedPath } from "../path.ts";
import { RegistryDenial } from "./denial-audit.ts";

/** The caller of the registry, with current grants: a change of access is felt by the next request. */
export interface RegistryCaller extends Requester {
  readonly caller: Caller;
  readonly isAnonymous: boolean;
  /** The upper bound of the grants, from a registry token; undefined for other credentials. */
  readonly access?: readonly ResourceActions[];
}

const ANONYMOUS: Omit<RegistryCaller, "publicGrants"> = {
  caller: { uid: ANONYMOUS_UID, grants: Grants.NONE, isOperator: false },
  grants: Grants.NONE,
  isOperator: false,
  isAnonymous: true,
};

/** A valid token that was issued for something else. */
class InsufficientScope extends WharfError {}

/** Verified tokens: verifying a signature takes as long as answering a request. */
const TOKEN_CACHE = { maxEntries: 10_000 };

/** Authenticates the clients of the registry, and checks what they may do. */
export class RegistryAuthorizer {
  readonly #deps: TokenEndpointDeps;
  readonly #tokens = new BoundedCache<string, VerifiedRegistryToken>(TOKEN_CACHE);

  constructor(deps: TokenEndpointDeps) {
    this.#deps = deps;
  }

  /** The host of the registry in names of images, which is also the service of its tokens. */
  get service(): string {
    const { settings, addresses } = this.#deps.exchange;
    const { baseUrl } = addresses();
    return ownService(settings, baseUrl) ?? new URL(baseUrl).host;
  }

  /** The challenge of a 401 (RFC 6750), by which clients find the token endpoint. */
  challenge(scope: string | undefined, reason: unknown): string {
    const { authUrl } = this.#deps.exchange.addresses();
    const scopeParameter = scope === undefined ? "" : `,scope="${scope}"`;
    // Some clients ask for another token only then.
    const error = reason instanceof InsufficientScope ? ',error="insufficient_scope"' : "";
    return `Bearer realm="${authUrl}/token",service="${this.service}"${scopeParameter}${error}`;
  }

  /** Accepts a registry token, a token of the API, and the passwords of the token endpoint. */
  async authenticate(request: HttpRequest): Promise<RegistryCaller> {
    const everyone = await publicGrants(this.#deps);
    const { authorization } = request.headers;
    if (!authorization) return { ...ANONYMOUS, publicGrants: everyone };
    const { caller, access } = isBasic(authorization)
      ? { caller: await this.#byPassword(authorization), access: undefined }
      : await this.#byToken(readBearer(authorization));
    const { grants, isOperator } = caller;
    const limit = access === undefined ? {} : { access };
    return { caller, grants, isOperator, publicGrants: everyone, isAnonymous: false, ...limit };
  }

  /** The path of a repository, if the caller may do this there. Throws 401 or 403, with the reason. */
  async authorize(
    { isAnonymous, access, ...requester }: RegistryCaller,
    name: string,
    action: Action,
  ): Promise<ResolvedPath> {
    if (access !== undefined && !allows(access, name, action)) {
      throw new InsufficientScope("UNAUTHENTICATED", `the token is not for ${action} of ${name}`);
    }
    const { catalog, store } = this.#deps.exchange;
    const lookup = { catalog, reader: store.reader, followsRenames: true };
    const { path, denial } = await grantPath(lookup, requester, name, action);
    if (denial === undefined && path !== undefined) return path;
    if (isAnonymous) throw unauthenticated(`${action} of ${name} needs credentials`);
    throw new RegistryDenial(denial ?? "denied", path?.repo ?? path?.group ?? "");
  }

  async #byPassword(authorization: string): Promise<Caller> {
    const credentials = readAuthorization(authorization);
    const { service } = this;
    const seen = { identity: "" };
    const time = Date.now();
    if (credentials.kind === "ours") return this.#byApiToken(credentials.token, service, time);
    const { uid, identity, grants } = await authenticate(
      this.#deps,
      credentials,
      service,
      time,
      seen,
    );
    if (identity !== undefined) await updateLastSeen(this.#deps.exchange, identity, time);
    return { uid, grants, isOperator: false, ...(identity && { name: identity.name }) };
  }

  async #byToken(
    token: string | undefined,
  ): Promise<{ readonly caller: Caller; readonly access?: readonly ResourceActions[] }> {
    if (token === undefined) throw unauthenticated("only Basic and Bearer are accepted");
    const time = Date.now();
    const verified = await this.#verified(token, time);
    if (verified === undefined) {
      return { caller: await this.#byApiToken(token, this.service, time) };
    }
    const { subject, session, access } = verified;
    // The access of a client without credentials: public pulls.
    if (subject === ANONYMOUS_UID) return { caller: ANONYMOUS.caller, access };
    return { caller: await this.#deps.authenticator.standing(subject, session), access };
  }

  async #verified(token: string, time: number): Promise<VerifiedRegistryToken | undefined> {
    const cached = this.#tokens.get(token);
    if (cached !== undefined && cached.expires > time && (await this.#isPublished(cached.kid)))
      return cached;
    const { settings, addresses } = this.#deps.exchange;
    const { baseUrl, authUrl: issuer } = addresses();
    const services = registryHosts(settings, baseUrl);
    const verified = await verifyRegistryToken(this.#deps.keys, token, { issuer, services }, time);
    if (verified !== undefined) this.#tokens.set(token, verified);
    return verified;
  }

  /** A key that was withdrawn signs nothing that counts. */
  async #isPublished(kid: string): Promise<boolean> {
    return (await this.#deps.keys.published()).some((key) => key.kid === kid);
  }

  /** A token for the registry, or for the API. */
  async #byApiToken(token: string, service: string, time: number): Promise<Caller> {
    const { authenticator, exchange } = this.#deps;
    const { caller, audiences } = await authenticator.holder(token, time);
    const accepted = [service, exchange.addresses().baseUrl];
    if (accepted.some((audience) => audiences.includes(audience))) return caller;
    throw wrongAudience(audiences, service);
  }
}

function allows(access: readonly ResourceActions[], name: string, action: Action): boolean {
  return access.some(
    (one) => one.type === "repository" && one.name === name && one.actions.includes(action),
  );
}
