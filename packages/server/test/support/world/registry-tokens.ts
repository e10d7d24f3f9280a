import assert from "node:assert/strict";
import { builtinRole } from "@wharf/contract";
import { decodeJwt, type JWTPayload } from "jose";
import { Http } from "../client/http.ts";
import { exchange } from "../client/token-exchange.ts";
import { StandInIssuer } from "../providers/issuer.ts";
import { type StoreKind, TestServer } from "../server/test-server.ts";

/** What a registry's client shows, and what it asks for. */
export interface TokenQuestion {
  readonly user?: string;
  readonly password?: string;
  /** In place of user and password. */
  readonly authorization?: string;
  readonly scope?: string | readonly string[];
  readonly service?: string;
  readonly path?: string;
}

/** How it was answered. */
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  readonly claims: JWTPayload & { readonly access?: readonly { readonly name: string }[] };
  /** What was granted, as scopes. */
  readonly granted: readonly string[];
}

/** An organization with folders, and people and workloads who may do this and that with its images. */
export class RegistryWorld {
  readonly server: TestServer;
  readonly issuer: StandInIssuer;
  readonly operator: Http;
  readonly host: string;
  /** The organization `acme`, which is verified. */
  organization = "";
  /** The folder `team` in it. */
  team = "";

  private constructor(server: TestServer, issuer: StandInIssuer, operator: Http, host: string) {
    this.server = server;
    this.issuer = issuer;
    this.operator = operator;
    this.host = host;
  }

  /**
   * @example const world = await RegistryWorld.start({ host: "registry.test" });
   */
  static async start({
    store = "sqlite",
    host = "registry.test",
    flags = [],
  }: {
    store?: StoreKind;
    host?: string;
    flags?: readonly string[];
  } = {}): Promise<RegistryWorld> {
    const issuer = await StandInIssuer.start();
    const server = await TestServer.start({ store, flags: ["--registry-host", host, ...flags] });
    const operator = new Http(server.url, await server.token());
    const world = new RegistryWorld(server, issuer, operator, host);
    world.organization = (await world.post("groups", { name: "acme" })).uid;
    world.team = (await world.post(`groups/${world.organization}`, { name: "team" })).uid;
    await operator.patch(`/iam/v2beta1/groups/${world.organization}`, { verified: true });
    return world;
  }

  // biome-ignore lint/suspicious/noExplicitAny: what was made has every shape.
  async post(path: string, resource: object): Promise<any> {
    const { status, body } = await this.operator.post(`/iam/v2beta1/${path}`, resource);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** A workload whose tokens the issuer signs, with its name as their subject. */
  async identity(name: string): Promise<string> {
    const claimMatch = { issuer: this.issuer.url, subject: name };
    return (await this.post(`identities/${this.organization}`, { name, claimMatch })).uid;
  }

  /** Binds an identity to a built-in role, and returns the binding. */
  async bind(group: string, identityUid: string, role: string): Promise<string> {
    const roleUid = builtinRole(role)?.uid;
    return (await this.post(`roleBindings/${group}`, { identityUid, roleUid })).uid;
  }

  /** An identity with a role at a place. */
  async holder(name: string, role: string, group = this.organization): Promise<string> {
    const uid = await this.identity(name);
    await this.bind(group, uid, role);
    return uid;
  }

  /** A token of ours for the registry, or for another audience. */
  async token(identity?: string, audience = this.host): Promise<string> {
    const own = await this.server.token(identity);
    const { token, message } = await exchange(this.server.url, own, { aud: audience });
    assert.notEqual(token, "", message);
    return token;
  }

  /** Asks for a token, as a client of the registry does. */
  async ask(question: TokenQuestion): Promise<TokenAnswer> {
    const { user, password = "", scope = [], service = this.host, path = "/token" } = question;
    const query = new URLSearchParams({ service });
    for (const one of [scope].flat()) query.append("scope", one);
    const basic = user === undefined ? undefined : `Basic ${btoa(`${user}:${password}`)}`;
    const authorization = question.authorization ?? basic;
    const response = await fetch(`${this.server.url}${path}?${query}`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    return answerOf(response);
  }

  /** What an identity is granted when it asks with a token of ours. */
  async grantedTo(identity: string | undefined, scope: string): Promise<readonly string[]> {
    const { status, granted } = await this.ask({
      user: "_token",
      password: await this.token(identity),
      scope,
    });
    assert.equal(status, 200);
    return granted;
  }

  async stop(): Promise<void> {
    await this.issuer.stop();
    await this.server.stop();
  }
}

/** Reads an answer of the token endpoint. */
export async function answerOf(response: Response): Promise<TokenAnswer> {
  const body = JSON.parse(await response.text());
  const claims = body.token === undefined ? {} : decodeJwt(body.token);
  const access = (claims.access ?? []) as { type: string; name: string; actions: string[] }[];
  return {
    status: response.status,
    headers: response.headers,
    body,
    claims: claims as TokenAnswer["claims"],
    granted: access.map(({ type, name, actions }) => `${type}:${name}:${actions.join()}`),
  };
}
