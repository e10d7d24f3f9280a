import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { attack } from "./support/world/login.ts";
import { roleNamed, World } from "./support/world/world.ts";

const CONSOLE = "https://console.example";
const MARKUP = `"><img src=x onerror=alert(1)>'><script>alert(1)</script>`;

describe("attacks on the sign-in pages", () => {
  let world: World;
  let team: string;
  before(async () => {
    world = await World.start({ login: true, flags: ["--cors-origins", CONSOLE] });
    await world.login.logIn("ada");
    team = (await world.http.post(`/iam/v2beta1/groups/${world.login.organization}`, { name: "t" }))
      .body.uid;
  });
  after(() => world.stop());
  const here = () => world;
  const url = (path: string) => `${world.server.url}${path}`;

  const harmless = (page: Visited) => {
    assert.match(page.text, /&lt;|&quot;/, "what was sent is shown");
    assert.doesNotMatch(page.text, /<img|<script>|onerror=alert\(1\)>/);
  };

  const newDevice = async (client_id: string, agent = "tool/1.0") => {
    const response = await fetch(url("/oauth/device_authorization"), {
      method: "POST",
      headers: { "user-agent": agent },
      body: new URLSearchParams({ client_id }),
    });
    return (await response.json()) as { user_code: string };
  };

  /** The page on which a person confirms a tool. */
  const confirmPage = async (browser: HttpBrowser, userCode: string, person: string) => {
    const typed = await browser.open(url("/device"));
    const chosen = await browser.submit(
      await browser.submit(typed, { user_code: userCode }),
      { organization: "acme.example" },
      { action: "/oauth/provider", until: world.login.upstream.issuer },
    );
    return world.login.signIn(browser, chosen.url, person);
  };

  const invite = async (given: object = {}): Promise<string> => {
    const body = { roleUid: roleNamed("viewer"), ttl: "3600s", ...given };
    return (await world.http.post(`/iam/v2beta1/groupInvites/${team}`, body)).body.code;
  };

  describe("with markup", () => {
    attack("as the organization", here, async (app) => {
      const browser = new HttpBrowser();
      const page = await browser.open(app.loginUrl());
      harmless(await browser.submit(page, { organization: MARKUP }));
    });

    attack("as the user code of a device", here, async () => {
      const code = encodeURIComponent(MARKUP);
      const page = await new HttpBrowser().open(url(`/device?user_code=${code}`));
      assert.doesNotMatch(page.text, /<img|<script/i);
    });

    attack("as the name and the user agent of the client", here, async () => {
      const { user_code } = await newDevice(MARKUP, MARKUP);
      const page = await confirmPage(new HttpBrowser(), user_code, "ada");
      assert.equal(page.status, 200);
      harmless(page);
      assert.equal(page.text.match(/&lt;img/g)?.length, 2);
    });

    test("as the name or address of a user", async () => {
      world.login.upstream.accounts.set("html", { email: `${MARKUP}@acme.example`, name: MARKUP });
      const { user_code } = await newDevice("tool");
      const page = await confirmPage(new HttpBrowser(), user_code, "html");
      assert.match(page.text, /wants to sign in as <strong>&quot;&gt;&lt;img/);
      harmless(page);
    });

    attack("as the error of a provider", here, async () => {
      const browser = new HttpBrowser();
      const away = await browser.open(
        url(`/oauth?idp_id=${world.login.provider}`),
        world.login.upstream.issuer,
      );
      const query = new URLSearchParams({
        state: new URL(away.url).searchParams.get("state") ?? "",
        iss: world.login.upstream.issuer,
        error: MARKUP,
      });
      const page = await browser.open(url(`/oauth/callback?${query}`));
      assert.equal(page.status, 403);
      harmless(page);
    });

    attack("as a display name", here, async () => {
      for (const [path, body] of [
        [`groups/${world.login.organization}`, { name: MARKUP }],
        [
          `identityProviders/${world.login.organization}`,
          {
            name: MARKUP,
            defaultRole: roleNamed("viewer"),
            oidc: { issuer: "https://login.example", clientId: "w" },
          },
        ],
        [`roles/${world.login.organization}`, { name: MARKUP, capabilities: ["groups.list"] }],
      ] as const) {
        assert.equal((await world.http.post(`/iam/v2beta1/${path}`, body)).status, 400, path);
      }
    });
  });

  test("no page can be framed, cached, or read cross-origin", async () => {
    const browser = new HttpBrowser();
    const code = await invite();
    const first = await browser.open(url(`/oauth?invite=${code}`));
    const away = await browser.submit(first, { organization: "acme.example" }, { until: "http" });
    const accept = await world.login.signIn(browser, away.url, "ada");
    const done = await browser.submit(accept, { decision: "accept" }, { action: "/oauth/accept" });
    const { user_code } = await newDevice("tool");
    const confirm = await confirmPage(new HttpBrowser(), user_code, "ada");
    const pages = {
      choose: first,
      away,
      accept,
      done,
      confirm,
      device: await browser.open(url("/device")),
      error: await browser.open(url("/oauth?redirect=https://evil.example")),
      denied: await browser.open(url("/oauth/callback?state=x")),
    };
    for (const [name, { headers, text }] of Object.entries(pages)) {
      assert.match(text, /<!doctype html>/, name);
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"])
        assert.ok(policy.split("; ").includes(rule), `${name}: ${policy}`);
      assert.doesNotMatch(policy, /unsafe|\*/, name);
      assert.equal(headers.get("x-frame-options"), "DENY", name);
      assert.equal(headers.get("x-content-type-options"), "nosniff", name);
      assert.equal(headers.get("referrer-policy"), "no-referrer", name);
      assert.equal(headers.get("cache-control"), "no-store", name);
      assert.equal(headers.get("cross-origin-opener-policy"), "same-origin", name);
    }
    const gone = await fetch(url(`/oauth?idp_id=${world.login.provider}`), { redirect: "manual" });
    assert.equal(gone.status, 303);
    assert.equal(gone.headers.get("cache-control"), "no-store");
    assert.equal(gone.headers.get("referrer-policy"), "no-referrer");
    assert.match(gone.headers.get("set-cookie") ?? "", /; HttpOnly; SameSite=Lax$/);
  });

  test("no origin can read pages, not even one allowed by CORS", async () => {
    for (const origin of [CONSOLE, "https://evil.example", "null"]) {
      for (const path of ["/oauth", "/device", "/oauth?redirect=https://evil.example"]) {
        const { headers } = await fetch(url(path), { headers: { origin } });
        assert.equal(headers.get("access-control-allow-origin"), null, `${origin} ${path}`);
        assert.equal(headers.get("access-control-allow-credentials"), null);
      }
    }
    const { headers } = await fetch(url("/.well-known/openid-configuration"), {
      headers: { origin: CONSOLE },
    });
    assert.equal(headers.get("access-control-allow-origin"), CONSOLE);
  });

  describe("with invites", () => {
    const INVITE_OVER = /The invite has expired or was already used/;
    const accept = async (address: string, person: string) => {
      const browser = new HttpBrowser();
      const page = await world.login.signIn(
        browser,
        `${address}&idp_id=${world.login.provider}`,
        person,
      );
      if (page.status !== 200) return page;
      return browser.submit(page, { decision: "accept" }, { action: "/oauth/accept" });
    };
    const address = (code: string) => url(`/oauth?invite=${code}`);

    attack("an altered code", here, async () => {
      const code = await invite({ email: "nobody@acme.example" });
      const { grp, key } = JSON.parse(Buffer.from(code, "base64url").toString("utf8"));
      const write = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
      for (const altered of [
        write({ grp: world.login.organization, key }),
        write({ grp, key: `${key}A` }),
        write({ key, grp }),
        `${code}=`,
        code.slice(0, -1),
      ]) {
        const page = await new HttpBrowser().open(address(altered));
        assert.equal(page.status, 403, altered);
        assert.match(page.text, INVITE_OVER);
      }
      const [made] = (await world.http.get("/iam/v2beta1/groupInvites?page_size=1")).body
        .groupInvites;
      await world.http.delete(`/iam/v2beta1/groupInvites/${made.uid}`);
    });

    attack("the id of a code instead of the code", here, async () => {
      const code = await invite();
      const [made] = (await world.http.get("/iam/v2beta1/groupInvites?page_size=1")).body
        .groupInvites;
      assert.match((await new HttpBrowser().open(address(made.keyId))).text, INVITE_OVER);
      assert.match((await new HttpBrowser().open(address(made.uid))).text, INVITE_OVER);
      await world.http.delete(`/iam/v2beta1/groupInvites/${made.uid}`);
      assert.match((await new HttpBrowser().open(address(code))).text, INVITE_OVER);
    });

    test("two users submit a single-use invite: one joins", async () => {
      const code = await invite({ singleUse: true });
      const walkers = [new HttpBrowser(), new HttpBrowser()];
      const pages: Visited[] = [];
      for (const [at, browser] of walkers.entries()) {
        const person = at === 0 ? "ada" : "bob";
        const start = `${address(code)}&idp_id=${world.login.provider}`;
        pages.push(await world.login.signIn(browser, start, person));
      }
      const answers = await Promise.all(
        walkers.map((browser, at) =>
          browser.submit(pages[at] as Visited, { decision: "accept" }, { action: "/oauth/accept" }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
      assert.match((await new HttpBrowser().open(address(code))).text, INVITE_OVER);
    });

    test("another's e-mail address, or an unverified one", async () => {
      await world.login.logIn("eve");
      const code = await invite({ email: "ada@acme.example" });
      for (const person of ["bob", "eve"]) {
        const page = await accept(address(code), person);
        assert.equal(page.status, 403);
        assert.match(
          page.text,
          /The invite is for another e-mail address, or yours is not verified/,
        );
      }
      const joined = await accept(address(code), "ada");
      assert.equal(joined.status, 200, joined.text);
    });
  });
});
