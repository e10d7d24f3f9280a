import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addAuthenticator, openPage } from "../../../server/test/support/browser/browser.ts";
import { Receiver } from "../../../server/test/support/events/receiver.ts";
import { MANIFEST } from "../../../server/test/support/registry/storage.ts";
import { until } from "../../../server/test/support/until.ts";
import { Login } from "../../../server/test/support/world/login.ts";
import { assertHarmless, openHarmless } from "../support/hostile/harmless.ts";
import type { Body } from "../support/hostile/text-fields.ts";
import { TEXTS, type TextName } from "../support/hostile/texts.ts";
import { ConsoleSite } from "../support/site.ts";

const ALL = Object.entries(TEXTS) as [TextName, string][];

const MAX_PASSKEY_NAME_LENGTH = 64;

/** What is left of `markup` where texts are shown in full. */
const SHOWN = "onerror=alert(1)";

describe("hostile texts of other systems, devices and people", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  before(async () => {
    site = await ConsoleSite.startWithRegistry({ proxied: true });
    ({ page } = site);
    organization = site.world.registry.organization;
    await page.goto(site.at("organizations"));
    await site.signIn();
    await site.heading("Organizations").waitFor();
  });
  after(() => site.stop());

  /** Opens a screen that shows the markup as text. */
  async function shows(screen: string): Promise<void> {
    const text = await openHarmless(site, screen);
    assert.ok(text.includes(SHOWN), `${screen} does not show the text:\n${text}`);
  }

  test("names, addresses and groups that an identity provider tells", async () => {
    const { world } = site;
    const login = await Login.prepare(world);
    const { body } = await world.http.get("/iam/v2beta1/identities?name=ada");
    await world.bind(login.organization, body.identities[0].uid, "owner");
    for (const [name, text] of ALL) {
      const claims = { name: text, preferred_username: text, email: text, email_verified: true };
      login.upstream.accounts.set(name, { ...claims, groups: [text] });
      const who = await world.accounts.whoAmI(await login.logIn(name));
      await world.bind(login.organization, who.subject, "viewer");
      await openHarmless(site, `people/${login.organization}?person=${who.subject}`);
    }
    await shows(`people/${login.organization}`);
    for (const screen of ["access", "audit"]) {
      await openHarmless(site, `${screen}/${login.organization}`);
    }
  });

  test("clients that begin sessions", async () => {
    for (const [, text] of ALL) {
      // Headers have no other characters.
      const userAgent = text.replaceAll(/[^\x20-\x7e]/g, "");
      const other = await openPage(site.browser, { userAgent });
      await other.page.goto(site.at("organizations"));
      await site.signIn("ada", other.page);
      await site.heading("Organizations", other.page).waitFor();
      await other.page.context().close();
    }
    await shows("account");
  });

  test("names of passkeys", async () => {
    const { url } = site.world.accounts;
    const authenticator = await addAuthenticator(page);
    await page.goto(`${url}/account`);
    await site.button("Add a passkey").click();
    const dialog = page.getByRole("dialog").filter({ has: page.locator("form") });
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.waitFor({ state: "detached" });
    for (const text of Object.values(TEXTS)) {
      const name = text.slice(0, MAX_PASSKEY_NAME_LENGTH).trim();
      await page.goto(`${url}/account`);
      await page.getByRole("button", { name: /^Rename/ }).click();
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByRole("button", { name: "Rename" }).click();
      const renamed = page.getByText("The passkey was renamed.");
      await renamed.or(dialog.locator(".failed")).first().waitFor();
      if ((await renamed.count()) === 0) continue;
      assert.ok((await openHarmless(site, "account")).includes(name), name);
    }
    await authenticator.remove();
  });

  test("what receivers of events answer", async (t) => {
    const { http } = site.world;
    const receiver = await Receiver.start(({ path }, response) => {
      const text = TEXTS[new URL(path, "http://receiver").searchParams.get("text") as TextName];
      const status = path.endsWith("markup") ? 503 : 200;
      response.writeHead(status, { "content-type": "text/html" }).end(text);
    });
    t.after(() => receiver.stop());
    const subscriptions = new Map<TextName, string>();
    for (const [name] of ALL) {
      const subscription = { name, sink: `${receiver.url}?text=${name}` };
      const path = `/events/v2beta1/subscriptions/${organization}`;
      subscriptions.set(name, (await http.post(path, subscription)).body.uid);
    }
    await http.post(`/iam/v2beta1/groups/${organization}`, { name: "announced" });
    for (const [name, uid] of subscriptions) {
      const delivery = await until<Body>(async () => {
        const { body } = await http.get(`/events/v2beta1/deliveries/${uid}`);
        return body.deliveries.find(({ attempts = [], type }: Body) => {
          return attempts.length > 0 && type.includes(".group.");
        });
      });
      const screen = `delivery/${uid}/${delivery.id}?event=${delivery.eventId}`;
      const text = await openHarmless(site, screen);
      const answer = delivery.attempts[0].response;
      assert.ok(answer !== "" && text.includes(answer), `${name}: ${answer}`);
    }
  });

  test("what images say of themselves, and clients of a registry", async () => {
    const { tracked, world } = site;
    const pusher = await world.registry.holder("pusher", "owner");
    const texts: readonly string[] = Object.values(TEXTS);
    const named = Object.fromEntries(ALL);
    const { digest, source } = tracked.image(["amd64"], () => ({
      User: TEXTS.markup,
      WorkingDir: TEXTS.long,
      StopSignal: TEXTS.template,
      Env: ALL.map(([name, text]) => `${name}=${text}`),
      Entrypoint: texts,
      Cmd: texts,
      Volumes: Object.fromEntries(texts.map((text) => [text, {}])),
      ExposedPorts: { [TEXTS.markup]: {} },
      Labels: { ...named, [TEXTS.markup]: "key", "org.opencontainers.image.source": TEXTS.link },
    }));
    const pushed = await tracked.push(pusher, source, "acme/hostile:1");
    assert.ok(pushed.ok, pushed.output);
    const { uid } = await tracked.tagged("hostile", "1", digest);
    const repo = (await tracked.repo("hostile")) ?? "";
    await tracked.notify(
      texts.map((text) => ({
        id: randomUUID(),
        timestamp: new Date().toISOString(),
        action: "pull",
        target: { repository: "acme/hostile", mediaType: MANIFEST, digest, tag: "1" },
        request: { addr: text, useragent: text },
        actor: { name: text },
      })),
    );
    await shows(`image/${repo}/${digest}`);
    for (const screen of [`tag/${uid}`, `repo/${repo}?tab=activity`, `repo/${repo}?tab=images`]) {
      await openHarmless(site, screen);
    }
  });

  test("why a registry could not be read", async () => {
    const { tracked, world } = site;
    const errors = ALL.map(([code, message]) => ({ code, message, detail: message }));
    tracked.proxy.instead = () => ({
      status: 400,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ errors }),
    });
    const { status } = await world.http.post("/registry/v2beta1/registries:reconcile", {});
    assert.equal(status, 200);
    const problem = await until<string>(async () => {
      const { body } = await world.http.get("/registry/v2beta1/registries");
      return body.registries[0].problem || undefined;
    });
    await page.goto(site.at("registries"));
    const token = page.getByLabel("Operator's token", { exact: true });
    await token.fill(await world.server.token());
    await token.press("Enter");
    await page.locator(".badge.bad").waitFor();
    await assertHarmless(site, "registries");
    assert.ok((await page.locator("main").textContent())?.includes(problem), problem);
  });
});
