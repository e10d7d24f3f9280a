/** A SCIM client, as identity providers have it. */
import assert from "node:assert/strict";
import { mustBeDocumentedAt } from "../client/documented-errors.ts";
import { roleNamed, type World } from "../world/world.ts";

/** An answer of the endpoint that identity providers provision at. */
export interface ScimAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into resources of every shape.
  readonly body: any;
  readonly headers: Headers;
}

/** The SCIM client of an identity provider, as its own software would send. */
export class ScimClient {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body: unknown): Promise<ScimAnswer> {
    return this.send("POST", path, body);
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    return this.send("PUT", path, body, headers);
  }

  /** Sends the operations of a patch. */
  patch(path: string, ...operations: object[]): Promise<ScimAnswer> {
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
    return this.send("PATCH", path, { schemas, Operations: operations });
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    return this.send("DELETE", path, undefined, headers);
  }

  /** A list with a filter: how many there are, and the names of those on the page. */
  async find(collection: string, filter: string, more = ""): Promise<string[]> {
    const query = `?filter=${encodeURIComponent(filter)}${more}`;
    const { status, body } = await this.get(`/${collection}${query}`);
    assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`);
    return body.Resources.map((one: Record<string, string>) => one.userName ?? one.displayName);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ScimAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token === "" ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answered = text === "" ? undefined : JSON.parse(text);
    mustBeDocumentedAt(method, new URL(response.url).pathname, answered?.scimType);
    return {
      status: response.status,
      body: answered,
      headers: response.headers,
    };
  }
}

/** An identity provider that provisions, and what it sends with. */
export interface Provisioning {
  readonly org: string;
  readonly provider: string;
  readonly scim: ScimClient;
  /** The state that the methods which change its credentials require next. */
  readonly etag: string;
}

/**
 * A new organization whose identity provider has provisioning switched on.
 *
 * @example const { scim } = await provisioning(world);
 */
export async function provisioning(world: World, oidc: object = {}): Promise<Provisioning> {
  const api = world.operator();
  const org = await world.organization();
  for (let owners = 0; owners < 2; owners++) await world.member({ [org]: "owner" });
  const { uid: provider } = await api.identityProviders.create(org, {
    name: world.name("idp"),
    defaultRole: roleNamed("viewer"),
    oidc: { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true, ...oidc },
  });
  const { token, endpointUrl, etag } = await api.identityProviders.generateScimToken({
    identityProviderUid: provider,
  });
  const on = await api.identityProviders.setScimEnabled({
    identityProviderUid: provider,
    enabled: true,
    etag,
  });
  return { org, provider, scim: new ScimClient(endpointUrl, token), etag: on.etag };
}
