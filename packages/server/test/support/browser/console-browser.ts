/** A browser at the console, without its script: signs in, and gets tokens as the page does. */
import assert from "node:assert/strict";
import { decodeJwt, type JWTPayload } from "jose";
import { DirectStore } from "../server/direct-store.ts";
import { PASSWORD } from "../world/local-accounts.ts";
import type { World } from "../world/world.ts";
import { HttpBrowser, type Visited } from "./http-browser.ts";
import type { SoftPasskey } from "./soft-passkey.ts";

export class ConsoleBrowser extends HttpBrowser {
  readonly origin: string;
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
    this.origin = world.accounts.url;
  }

  /** A browser that has copied the cookies of this one. */
  copy(): ConsoleBrowser {
    const thief = new ConsoleBrowser(this.#world);
    thief.takeCookies(this);
    return thief;
  }

  /** The sign-in page, which does not return at once to those who are signed in if they are to sign in again. */
  openSignIn(again = false): Promise<Visited> {
    return this.open(`${this.origin}/console/sign-in${again ? "?again=true" : ""}`);
  }

  /** Signs in with a local account. */
  async signIn(username = "ada", again = false, password = PASSWORD): Promise<void> {
    const page = await this.openSignIn(again);
    const how = { action: "/oauth/local", until: `${this.origin}/console/` };
    const done = await this.submit(page, { username, password }, how);
    assert.match(done.text, /You are signed in/);
  }

  /** A new access token of the session. */
  async token(): Promise<string> {
    const { status, body } = await this.#post("token");
    assert.equal(status, 200, JSON.stringify(body));
    return body.accessToken;
  }

  async claims(): Promise<JWTPayload> {
    return decodeJwt(await this.token());
  }

  async signOut(): Promise<void> {
    assert.equal((await this.#post("end")).status, 200);
  }

  /** Sends a request of the account screen. */
  async change(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
    token?: string,
  ) {
    const own = { origin: this.origin, authorization: `Bearer ${token ?? (await this.token())}` };
    return this.send(`${this.origin}/console/account/${path}`, body, { ...own, ...headers });
  }

  /** Adds a passkey to the account; returns the last response. */
  async addPasskey(passkey: SoftPasskey, name = "") {
    const offer = await this.change("passkeys/options", {});
    if (offer.status !== 200) return offer;
    const { options, challengeId } = offer.body;
    const response = passkey.create(options, {});
    return this.change("passkeys/add", { challengeId, response, name });
  }

  #post(name: string) {
    return this.send(`${this.origin}/console/session/${name}`, {}, { origin: this.origin });
  }
}

/** Makes all sessions older, as if their people had signed in earlier. */
export async function ageSessions({ server }: World, minutes: number): Promise<void> {
  const direct = await DirectStore.open(server);
  await direct.store.write(async (tx) => {
    await tx.run("UPDATE sessions SET created = created - ?", minutes * 60_000);
    tx.accessChanged();
  });
  await direct.close();
}
