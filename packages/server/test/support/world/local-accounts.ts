/** Users who sign in at the server itself, by password or passkey, and its setup: `world.accounts`. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ANONYMOUS_UID } from "../../../src/auth/caller.ts";
import { HttpBrowser, type Visited } from "../browser/http-browser.ts";
import type { PasskeyFault, SoftPasskey } from "../browser/soft-passkey.ts";
import { Http } from "../client/http.ts";
import { OAuthClient, type TokenAnswer } from "../client/tokens.ts";
import { rawRows } from "../server/direct-store.ts";
import type { TestServer } from "../server/test-server.ts";

export const PASSWORD = "correct horse battery staple";

const FIRST_RUN =
  /^wharf: first run: open (\S+) and enter the code ((?:[A-Z]{4}-){4}[A-Z]{4}) \(valid for 24 hours\)$/m;

/**
 * The setup URL and code that the server prints for its first person.
 *
 * @example const { url, code } = await firstRunOf(server);
 */
export async function firstRunOf(server: TestServer): Promise<{ url: string; code: string }> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    const found = FIRST_RUN.exec(server.log);
    if (found) return { url: found[1] ?? "", code: found[2] ?? "" };
    await sleep(25);
  }
  throw new Error(`no setup code in:\n${server.log}`);
}

/** The lines of the log that are not for people. */
export function jsonLog(server: TestServer): string {
  return server.log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .join("\n");
}

/** The sentence in a page's alert. */
export function alertOf({ text }: Visited): string {
  return /role="alert"[^>]*>([^<]*)</.exec(text)?.[1] ?? "";
}

/** A server by the name that passkeys need. */
export function byName(server: TestServer): string {
  return server.url.replace("127.0.0.1", "localhost");
}

export class LocalAccounts {
  readonly server: TestServer;

  constructor(server: TestServer) {
    this.server = server;
  }

  /** The address of the server's pages. */
  get url(): string {
    return byName(this.server);
  }

  /** Fills in the setup form; the defaults are valid. */
  async setUp(given: Readonly<Record<string, string>> = {}): Promise<Visited> {
    const submit = await this.openSetup();
    return submit(given);
  }

  /** Opens the setup form, which is there until the setup is complete; the result sends it. */
  async openSetup(): Promise<(given?: Readonly<Record<string, string>>) => Promise<Visited>> {
    const browser = new HttpBrowser();
    const page = await browser.open(`${this.url}/setup`);
    return async (given = {}) =>
      browser.submit(page, {
        code: given.code ?? (await firstRunOf(this.server)).code,
        organization: "acme",
        username: "ada",
        password: PASSWORD,
        password_again: given.password ?? PASSWORD,
        ...given,
      });
  }

  /** Sets up with a passkey in software. */
  async setUpWithPasskey(passkey: SoftPasskey, fault: PasskeyFault = {}) {
    const browser = new HttpBrowser();
    await browser.open(`${this.url}/setup`);
    const { code } = await firstRunOf(this.server);
    const asked = { code, organization: "acme", username: "ada" };
    const { body } = await browser.send(`${this.url}/setup/passkey/options`, asked);
    const response = passkey.create(body.options, fault);
    const { challengeId } = body;
    return browser.send(`${this.url}/setup/passkey/verify`, { code, challengeId, response });
  }

  /** Opens the page that asks how to sign in, in a browser of its own. */
  async begin(parameters: Readonly<Record<string, string>> = {}) {
    const app = await OAuthClient.start(this.url);
    const browser = new HttpBrowser();
    const page = await browser.open(app.loginUrl(parameters));
    const login = /name="login" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    return { app, browser, page, login };
  }

  /** Tries a password; the page that it leads to, with what the tool gets when it was right. */
  async tryPassword(
    username: string,
    password: string,
  ): Promise<{ page: Visited; tokens?: TokenAnswer }> {
    const { app, browser, page } = await this.begin();
    try {
      const how = { action: "/oauth/local", until: app.redirectUri };
      const after = await browser.submit(page, { username, password }, how);
      if (!after.url.startsWith(app.redirectUri)) return { page: after };
      return { page: after, tokens: await app.redeem(new URL(after.url).searchParams) };
    } finally {
      app.stop();
    }
  }

  /** Signs in with a software passkey, and returns the last response. */
  async tryPasskey(passkey: SoftPasskey, fault: PasskeyFault = {}) {
    const { app, browser, login } = await this.begin();
    try {
      const { body } = await browser.send(`${this.url}/oauth/passkey/options`, { login });
      const sent = {
        login,
        challengeId: body.challengeId,
        response: passkey.get(body.options, fault),
      };
      const answer = await browser.send(`${this.url}/oauth/passkey/verify`, sent);
      if (answer.status !== 200) return { answer };
      const page = await browser.open(`${this.url}${answer.body.redirect}`, app.redirectUri);
      return { answer, tokens: await app.redeem(new URL(page.url).searchParams) };
    } finally {
      app.stop();
    }
  }

  /** The identity that a token speaks for, and its capabilities. */
  async whoAmI(tokens: TokenAnswer | undefined) {
    assert.ok(tokens?.access_token, JSON.stringify(tokens));
    const answer = await new Http(this.server.url, tokens.access_token).get("/auth/v1/ok");
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }

  /** The numbers of rows that people leave, by kind. */
  async counts(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of ["groups", "identities", "role_bindings", "local_accounts", "passkeys"]) {
      // Anyone is there from the start, and is nobody.
      const others = table === "identities" ? ` WHERE uid <> '${ANONYMOUS_UID}'` : "";
      const sql = `SELECT count(*) AS n FROM ${table}${others}`;
      const [row] = await rawRows<{ n: number | string }>(this.server, sql);
      counts[table] = Number(row?.n);
    }
    return counts;
  }
}

/** The row counts of a server before its first person. */
export const NOBODY = {
  groups: 0,
  identities: 0,
  role_bindings: 0,
  local_accounts: 0,
  passkeys: 0,
};
