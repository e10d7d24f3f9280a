/** An organization whose workloads ask for tokens of a registry: `World.start({ registry: true })`. */
import assert from "node:assert/strict";
import { decodeJwt, type JWTPayload } from "jose";
import { OPERATOR_UID } from "../../../src/auth/caller.ts";
import { exchange } from "../client/tokens.ts";
import { StandInIssuer } from "../providers/issuer.ts";
import type { World } from "./world.ts";

/** The credentials that a registry's client presents, and the scopes that it requests. */
export interface TokenRequest {
  readonly user?: string;
  readonly password?: string;
  /** In place of user and password. */
  readonly authorization?: string;
  readonly scope?: string | readonly string[];
  readonly service?: string;
  readonly path?: string;
}

/** The answer to a token request. */
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  readonly claims: JWTPayload & { readonly access?: readonly { readonly name: string }[] };
  /** The granted scopes. */
  readonly granted: readonly string[];
}

export class RegistryAccess {
  readonly issuer: StandInIssuer;
  readonly host: string;
  /** The organization `acme`, which is verified. */
  readonly organization: string;
  /** The folder `team` in it. */
  readonly team: string;
  readonly #world: World;

  private constructor(
    world: World,
    issuer: StandInIssuer,
    host: string,
    groups: { organization: string; team: string },
  ) {
    this.#world = world;
    this.issuer = issuer;
    this.host = host;
    this.organization = groups.organization;
    this.team = groups.team;
  }

  static async prepare(world: World, host: string): Promise<RegistryAccess> {
    const issuer = await StandInIssuer.start();
    world.onStop(() => issuer.stop());
    const organization = await world.organization("acme");
    const team = await world.group(organization, "team");
    await world.operator().groups.update(organization, { verified: true });
    return new RegistryAccess(world, issuer, host, { organization, team });
  }

  /** A workload whose tokens the issuer signs, with its name as their subject. */
  async identity(name: string): Promise<string> {
    const claimMatch = { issuer: this.issuer.url, subject: name };
    return (await this.#world.post(`identities/${this.organization}`, { name, claimMatch })).uid;
  }

  /** An identity with a role at a place. */
  async holder(name: string, role: string, group = this.organization): Promise<string> {
    const uid = await this.identity(name);
    await this.#world.bind(group, uid, role);
    return uid;
  }

  /**
   * A token of ours for the registry, or for another audience. After a rotation of keys, `own` is needed: the signer
   * has the keys of the start.
   */
  async token(identity = OPERATOR_UID, audience = this.host, own = ""): Promise<string> {
    const presented = own || (await this.#world.signer.token(identity));
    const { token, message } = await exchange(this.#world.server.url, presented, { aud: audience });
    assert.notEqual(token, "", message);
    return token;
  }

  /** Asks for a token, as a client of the registry does. */
  async ask(question: TokenRequest): Promise<TokenAnswer> {
    const { user, password = "", scope = [], service = this.host, path = "/token" } = question;
    const query = new URLSearchParams({ service });
    for (const one of [scope].flat()) query.append("scope", one);
    const basic = user === undefined ? undefined : `Basic ${btoa(`${user}:${password}`)}`;
    const authorization = question.authorization ?? basic;
    const response = await fetch(`${this.#world.server.url}${path}?${query}`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    return answerOf(response);
  }

  /** The scopes that an identity is granted when it presents a token of ours; none if it is denied. */
  async grantedTo(identity: string | undefined, scope: string): Promise<readonly string[]> {
    const { status, granted } = await this.ask({
      user: "_token",
      password: await this.token(identity),
      scope,
    });
    assert.ok([200, 403].includes(status), `${status}`);
    return granted;
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
