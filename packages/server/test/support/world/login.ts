import assert from "node:assert/strict";
import { builtinRole } from "@wharf/contract";
import { type Visited, Walker } from "../browser/http-browser.ts";
import { Http } from "../client/http.ts";
import { Tool } from "../client/oauth-client.ts";
import { type AccountClaims, OpenIdProvider } from "../providers/openid-provider.ts";
import { type StartOptions, TestServer } from "../server/test-server.ts";

export const PEOPLE = {
  ada: { email: "ada@acme.example", email_verified: true, name: "Ada", groups: ["builders"] },
  bob: { email: "bob@acme.example", email_verified: true },
  eve: { email: "ada@acme.example", email_verified: false },
} as const satisfies Record<string, AccountClaims>;

/** A server with an organization whose people log in at a real OpenID provider. */
export class LoginWorld {
  readonly server: TestServer;
  readonly upstream: OpenIdProvider;
  readonly operator: Http;
  /** The uid of the organization. */
  readonly organization: string;
  /** The uid of its identity provider. */
  readonly provider: string;

  private constructor(
    server: TestServer,
    upstream: OpenIdProvider,
    operator: Http,
    uids: { organization: string; provider: string },
  ) {
    this.server = server;
    this.upstream = upstream;
    this.operator = operator;
    this.organization = uids.organization;
    this.provider = uids.provider;
  }

  /**
   * @example const world = await LoginWorld.start({ store: "sqlite" });
   */
  static async start(options: StartOptions = {}): Promise<LoginWorld> {
    const server = await TestServer.start(options);
    const redirectUris = [`${server.baseUrl}/oauth/callback`];
    const upstream = await OpenIdProvider.start({
      clients: [{ id: "wharf", secret: "s3cret", redirectUris }],
      accounts: PEOPLE,
    });
    const operator = new Http(server.url, await server.token());
    const group = await operator.post("/iam/v2beta1/groups", { name: "acme.example" });
    const organization: string = group.body.uid;
    await operator.patch(`/iam/v2beta1/groups/${organization}`, { verified: true });
    const made = await operator.post(`/iam/v2beta1/identityProviders/${organization}`, {
      name: "acme sso",
      defaultRole: builtinRole("viewer")?.uid,
      oidc: {
        issuer: upstream.issuer,
        clientId: "wharf",
        clientSecret: "s3cret",
        groupsClaim: "groups",
      },
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return new LoginWorld(server, upstream, operator, { organization, provider: made.body.uid });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.upstream.stop();
  }

  /** Goes from an address of ours through the provider as a person, until we ask or are done. */
  async signIn(walker: Walker, address: string, person: string, until?: string): Promise<Visited> {
    let page = await walker.open(address, until);
    while (new URL(page.url).pathname.startsWith("/interaction/")) {
      page = await walker.submit(
        page,
        { login: person, password: "any" },
        { ...(until && { until }) },
      );
    }
    return page;
  }

  /** Logs a person in with a tool and a browser of their own; returns what the tool gets. */
  async logIn(person: string, parameters: Readonly<Record<string, string>> = {}) {
    const tool = await Tool.start(this.server.url);
    try {
      const url = tool.loginUrl({ idp_id: this.provider, ...parameters });
      const page = await this.signIn(new Walker(), url, person, tool.redirectUri);
      assert.ok(page.url.startsWith(tool.redirectUri), page.text);
      return await tool.redeem(new URL(page.url).searchParams);
    } finally {
      tool.stop();
    }
  }
}
