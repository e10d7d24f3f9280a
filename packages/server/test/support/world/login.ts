/** An organization whose users sign in at a real OpenID provider: `World.start({ login: true })`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpBrowser, type Visited } from "../browser/http-browser.ts";
import { OAuthClient, type TokenAnswer } from "../client/tokens.ts";
import { type AccountClaims, OpenIdProvider } from "../providers/openid-provider.ts";
import { rawRows } from "../server/direct-store.ts";
import { roleNamed, type World } from "./world.ts";

export const PEOPLE = {
  ada: { email: "ada@acme.example", email_verified: true, name: "Ada", groups: ["builders"] },
  bob: { email: "bob@acme.example", email_verified: true },
  eve: { email: "ada@acme.example", email_verified: false },
} as const satisfies Record<string, AccountClaims>;

export class Login {
  readonly upstream: OpenIdProvider;
  /** The uid of the organization, `acme.example`, which is verified. */
  readonly organization: string;
  /** The uid of its identity provider. */
  readonly provider: string;
  readonly #world: World;

  private constructor(
    world: World,
    upstream: OpenIdProvider,
    uids: { organization: string; provider: string },
  ) {
    this.#world = world;
    this.upstream = upstream;
    this.organization = uids.organization;
    this.provider = uids.provider;
  }

  static async prepare(world: World): Promise<Login> {
    const redirectUris = [`${world.server.baseUrl}/oauth/callback`];
    const upstream = await OpenIdProvider.start({
      clients: [{ id: "wharf", secret: "s3cret", redirectUris }],
      accounts: PEOPLE,
    });
    world.onStop(() => upstream.stop());
    const organization = await world.organization("acme.example");
    const api = world.operator();
    await api.groups.update(organization, { verified: true });
    const { uid } = await api.identityProviders.create(organization, {
      name: "acme sso",
      defaultRole: roleNamed("viewer"),
      oidc: {
        issuer: upstream.issuer,
        clientId: "wharf",
        clientSecret: "s3cret",
        groupsClaim: "groups",
      },
    });
    return new Login(world, upstream, { organization, provider: uid });
  }

  /** Goes from an address of ours through the provider as a person, until we ask or are done. */
  async signIn(
    browser: HttpBrowser,
    address: string,
    person: string,
    until?: string,
  ): Promise<Visited> {
    let page = await browser.open(address, until);
    while (new URL(page.url).pathname.startsWith("/interaction/")) {
      page = await browser.submit(
        page,
        { login: person, password: "any" },
        { ...(until && { until }) },
      );
    }
    return page;
  }

  /** Logs a person in with an application and a browser of their own; what the application gets. */
  async logIn(
    person: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const client = await OAuthClient.start(this.#world.server.url);
    try {
      const url = client.loginUrl({ idp_id: this.provider, ...parameters });
      const page = await this.signIn(new HttpBrowser(), url, person, client.redirectUri);
      assert.ok(page.url.startsWith(client.redirectUri), page.text);
      return await client.redeem(new URL(page.url).searchParams);
    } finally {
      client.stop();
    }
  }
}

const KEPT = ["identities", "role_bindings", "sessions", "group_invites", "provider_people"];

/** The row counts of everything that a login can leave behind. */
export async function loginRowCounts({ server }: World): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of KEPT) {
    const [row] = await rawRows<{ n: number }>(server, `SELECT COUNT(*) AS n FROM ${table}`);
    counts[table] = Number(row?.n);
  }
  return counts;
}

/**
 * An attack: a test that must leave nothing behind. It gets a tool that waits for a login.
 *
 * @example attack("a forged state", world, async (tool) => { … });
 */
export function attack(
  title: string,
  world: () => World,
  run: (app: OAuthClient) => Promise<void>,
): void {
  test(title, async () => {
    const app = await OAuthClient.start(world().server.url);
    try {
      const before = await loginRowCounts(world());
      await run(app);
      assert.deepEqual(await loginRowCounts(world()), before, "something was left behind");
    } finally {
      app.stop();
    }
  });
}
