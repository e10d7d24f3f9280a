import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { literalIdentityUid } from "@wharf/contract";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "./support/browser/browser.ts";
import { openVisit, startNamedWorld } from "./support/browser/login-visit.ts";
import { signInAtProvider } from "./support/providers/openid-provider.ts";
import { roleNamed, type World } from "./support/world/world.ts";

describe("invites in a real browser", () => {
  let browser: Browser;
  let world: World;
  let team: string;
  before(async () => {
    browser = await launchBrowser();
    world = await startNamedWorld("sqlite");
    const { body } = await world.http.post(`/iam/v2beta1/groups/${world.login.organization}`, {
      name: "team red",
    });
    team = body.uid;
  });
  after(async () => {
    await browser?.close();
    await world.stop();
  });

  const invite = async (given: object = {}) => {
    const body = { roleUid: roleNamed("editor"), ttl: "3600s", ...given };
    const made = await world.http.post(`/iam/v2beta1/groupInvites/${team}`, body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return { uid: made.body.uid as string, url: urlOf(made.body.code) };
  };
  const urlOf = (code: string) => `${world.server.baseUrl}/oauth?invite=${code}`;
  const isOpen = async (uid: string) =>
    (await world.http.get(`/iam/v2beta1/groupInvites/${uid}`)).status === 200;

  /** The roles that a person has at the team itself. */
  const rolesOf = async (person: string): Promise<string[]> => {
    const identity = literalIdentityUid(world.login.upstream.issuer, person);
    const path = `/iam/v2beta1/roleBindings?identity=${identity}&uidp.childrenOf=${team}`;
    const { body } = await world.http.get(path);
    return body.roleBindings.map((one: { role: { name: string } }) => one.role.name);
  };

  /** Opens an invite, and signs in for it. */
  const signIn = async (page: Page, url: string, login: string) => {
    await page.goto(url);
    await page
      .getByText("You are invited to acme.example / team red as editor. Sign in to accept.")
      .waitFor();
    await page.getByRole("button", { name: /Continue with acme sso/ }).click();
    await signInAtProvider(page, { login });
    await page
      .getByRole("heading", { name: "You are invited to acme.example / team red as editor" })
      .waitFor();
  };
  const answer = (page: Page, name: string) => page.getByRole("button", { name }).click();
  const sees = (page: Page, text: string) => page.getByText(text).waitFor();

  test("accepting grants the role, and deletes a single-use invite", async (t) => {
    const { page, complaints } = await openVisit(t, browser, world);
    const { uid, url } = await invite({ singleUse: true });
    await signIn(page, url, "ada");
    assert.match(await page.getByRole("main").innerText(), /Signed in as\s+ada@acme\.example/);
    assert.deepEqual(await rolesOf("ada"), [], "not before it is accepted");
    await answer(page, "Accept");
    await page.getByRole("heading", { name: "Invite accepted" }).waitFor();
    assert.deepEqual(await rolesOf("ada"), ["editor"]);
    assert.equal(await isOpen(uid), false);
    assert.deepEqual(complaints, []);
    const again = await page.goto(url);
    assert.equal(again?.status(), 403);
    await sees(page, "The invite has expired or was already used.");
  });

  test("declining grants nothing, and another user can still accept it", async (t) => {
    const { page, complaints } = await openVisit(t, browser, world);
    const { uid, url } = await invite();
    await signIn(page, url, "bob");
    await answer(page, "Decline");
    await page.getByRole("heading", { name: "Invite declined" }).waitFor();
    assert.deepEqual(await rolesOf("bob"), []);
    await signIn((await openVisit(t, browser, world)).page, url, "eve");
    assert.equal(await isOpen(uid), true);
    const again = await openVisit(t, browser, world);
    await signIn(again.page, url, "bob");
    await answer(again.page, "Accept");
    await again.page.getByRole("heading", { name: "Invite accepted" }).waitFor();
    assert.deepEqual(await rolesOf("bob"), ["editor"]);
    assert.equal(await isOpen(uid), true, "it is for many");
    assert.deepEqual(complaints, []);
  });

  test("an invite for an address requires the verified address, ignoring case", async (t) => {
    world.login.upstream.accounts.set("uma", { email: "Uma@ACME.example", email_verified: true });
    const { url, uid } = await invite({ email: "uma@acme.EXAMPLE", singleUse: true });
    const wrong = "The invite is for another e-mail address, or yours is not verified.";
    world.login.upstream.accounts.set("una", { email: "uma@acme.example", email_verified: false });
    for (const person of ["una", "eve"]) {
      const { page } = await openVisit(t, browser, world);
      await signIn(page, url, person);
      assert.match(await page.getByRole("main").innerText(), /For\s+uma@acme\.EXAMPLE/);
      await answer(page, "Accept");
      await sees(page, wrong);
      assert.deepEqual(await rolesOf(person), []);
      assert.equal(await isOpen(uid), true);
    }
    const { page } = await openVisit(t, browser, world);
    await signIn(page, url, "uma");
    await answer(page, "Accept");
    await page.getByRole("heading", { name: "Invite accepted" }).waitFor();
    assert.deepEqual(await rolesOf("uma"), ["editor"]);
    assert.equal(await isOpen(uid), false);
  });

  test("an expired invite is rejected before sign-in", async (t) => {
    const { page } = await openVisit(t, browser, world);
    const { url } = await invite({ ttl: "1s" });
    await sleep(1_100);
    const authorizations = world.login.upstream.hits("/auth");
    for (const address of [url, `${url}&idp_id=${world.login.provider}`, urlOf("made-up")]) {
      assert.equal((await page.goto(address))?.status(), 403, address);
      await sees(page, "The invite has expired or was already used.");
    }
    assert.equal(world.login.upstream.hits("/auth"), authorizations);
  });

  test("the client that started with the invite is signed in afterwards", async (t) => {
    const { page, app, arrival } = await openVisit(t, browser, world);
    world.login.upstream.accounts.set("ida", { email: "ida@acme.example", email_verified: true });
    const { url } = await invite({ singleUse: true });
    const code = new URL(url).searchParams.get("invite") ?? "";
    await page.goto(app.loginUrl({ invite: code, idp_id: world.login.provider }));
    await signInAtProvider(page, { login: "ida" });
    await answer(page, "Accept");
    const tokens = await app.redeem(await arrival());
    assert.equal(tokens.status, 200);
    assert.deepEqual(await rolesOf("ida"), ["editor"]);
  });
});
