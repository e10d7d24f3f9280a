import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Page } from "playwright-core";
import { JWT_START } from "../../../server/test/support/client/tokens.ts";
import { HOSTILE } from "../support/hostile.ts";
import { secondPerson } from "../support/second-person.ts";
import { ConsoleSite } from "../support/site.ts";

const ISSUER = "https://ci.internal.example";

describe("workloads, identity providers and the operator in the console", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
  });
  after(() => site.stop());

  const identities = async () => {
    const path = `/iam/v2beta1/identities?uidp.descendants_of=${organization}`;
    return (await site.world.http.get(path)).body.identities as { name: string; uid: string }[];
  };

  test("leads from the first page to the first identity, with the keyboard", async () => {
    await page.goto(site.world.accounts.url);
    await page.getByRole("link", { name: "Open the console" }).click();
    await site.signIn();
    await site.heading("Get started with acme").waitFor();
    await page.getByText("1 of 5 done").waitFor();
    await page.goto(site.at(`new-identity/${organization}`));
    await page.getByLabel("Repository", { exact: true }).focus();
    await page.keyboard.type("acme/app");
    const sample = (what: string) =>
      page.getByRole("listitem").filter({ hasText: what }).getByText("accepted");
    await sample("the branch").waitFor();
    assert.equal(await sample("a pull request").count(), 0);
    await page.getByText("Only names are checked").waitFor();
    await page.getByLabel("Which jobs").selectOption("any");
    await sample("a pull request").waitFor();
    await page.getByText("Pull requests are accepted").waitFor();
    await page.getByLabel("Which jobs").selectOption("ref");
    await page.getByLabel("Repository ID").fill("42");
    await page.getByLabel("Owner ID").fill("7");
    await page.getByText("Only names are checked").waitFor({ state: "detached" });
    await page.getByLabel("Branch").fill("main");
    await page.getByLabel("Description").fill(HOSTILE);
    await page.getByLabel("Name", { exact: true }).fill("Not A Name");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: /name/i }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("publish");
    await page.keyboard.press("Enter");
    await site.heading("publish").waitFor();
    await page.getByText("id-token: write").waitFor();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    assert.deepEqual(
      (await identities()).map(({ name }) => name),
      ["publish"],
    );
    await page.goto(site.at(""));
    await page.getByText("2 of 5 done").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("shows every check of a token, and keeps the token nowhere", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const key = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" };
    const { body } = await site.world.http.post(`/iam/v2beta1/identities/${organization}`, {
      name: "internal ci",
      staticKeys: { issuer: ISSUER, subject: "app", issuerKeys: JSON.stringify({ keys: [key] }) },
    });
    const sign = (subject: string) =>
      new SignJWT({})
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setIssuer(ISSUER)
        .setSubject(subject)
        .setAudience("127.0.0.1")
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(privateKey);
    await page.goto(site.at(`identity/${body.uid}?tab=test`));
    const token = await sign(HOSTILE);
    await page.getByLabel("Token", { exact: true }).fill(token);
    await site.button("Test").click();
    await page.getByText("This token is rejected").waitFor();
    const check = page.getByRole("row").filter({ hasText: "sub" });
    await check.getByText("failed").waitFor();
    await check.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByLabel("Token", { exact: true }).fill(await sign("app"));
    await site.button("Test").click();
    await page.getByText("This token is accepted").waitFor();
    await page.getByText("the identity has no role").waitFor();
    assert.doesNotMatch(page.url(), JWT_START);
    const stored = "JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])";
    assert.doesNotMatch(await page.evaluate<string>(stored), JWT_START);
    assert.deepEqual(site.complaints, []);
  });

  test("finds, edits and deletes identities", async () => {
    await page.goto(site.at(`identities/${organization}`));
    await page.getByRole("combobox", { name: /^Kind/ }).selectOption({ label: "static keys" });
    await page.getByRole("link", { name: "publish" }).waitFor({ state: "detached" });
    assert.match(page.url(), /kind=RELATIONSHIP_TYPE_STATIC/);
    await page.getByRole("link", { name: "internal ci" }).click();
    await site.heading("internal ci").waitFor();
    await page.getByText("never used").waitFor();
    await site.button("Edit").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Subject").fill("web");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("web", { exact: true }).waitFor();
    await site.button("Delete").click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await site.heading("Identities").waitFor();
    assert.equal((await identities()).length, 1);
    assert.deepEqual(site.complaints, []);
  });

  test("creates a pull token, whose password works and is shown once", async () => {
    await page.goto(site.at(`identities/${organization}`));
    await site.button("Create pull token").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("legacy builds");
    // The role is looked up.
    await dialog.locator("input[name=roleUid]:not([value=''])").waitFor({ state: "attached" });
    assert.equal(await dialog.getByLabel("Role").inputValue(), "registry.pull");
    await dialog.getByRole("button", { name: "Create pull token" }).click();
    const shown = page.getByRole("region", { name: "Pull token" });
    const [, password = "", username = ""] =
      /^echo (\S+) \| docker login \S+ -u (\S+)/.exec(
        (await shown.locator("code").textContent()) ?? "",
      ) ?? [];
    const basic = Buffer.from(`${username}:${password}`).toString("base64");
    const service = new URL(site.world.server.url).host;
    const response = await fetch(`${site.world.accounts.url}/token?service=${service}`, {
      headers: { authorization: `Basic ${basic}` },
    });
    assert.equal(response.status, 200, await response.text());
    await site.button("I have stored it").click();
    await shown.waitFor({ state: "detached" });
    await page
      .getByRole("row")
      .filter({ hasText: "legacy builds" })
      .getByText("pull token")
      .waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("connects a provider, maps a group, and shows a SCIM token once", async () => {
    await page.goto(site.at(`new-provider/${organization}?kind=keycloak`));
    await page.getByText(`${site.world.server.url}/oauth/callback`).first().waitFor();
    await page.getByLabel("Issuer").fill("https://10.0.0.1/realms/acme");
    await site.button("Test issuer").click();
    await page.getByRole("status").filter({ hasText: "the identity provider" }).waitFor();
    await page.getByLabel("Issuer").fill("https://keycloak.example.com/realms/acme");
    await page.getByLabel("Client ID").fill("wharf");
    await page.getByLabel("Client secret").fill("a secret of the provider");
    await page.getByLabel("Default role").fill("viewer");
    await page
      .getByRole("option", { name: /^viewer/ })
      .first()
      .click();
    await site.button("Connect provider").click();
    await site.heading("keycloak").waitFor();
    await page.getByRole("link", { name: "Group mappings" }).click();
    await site.button("Add mapping").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Group of the provider").fill(HOSTILE);
    await dialog.getByLabel("Role").fill("viewer");
    await page
      .getByRole("option", { name: /^viewer/ })
      .first()
      .click();
    await dialog.getByRole("button", { name: "Add mapping" }).click();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole("link", { name: "Provisioning (SCIM)" }).click();
    await site.button("Generate token").click();
    await dialog.getByRole("button", { name: "Generate token" }).click();
    const shown = page.getByRole("region", { name: "SCIM token" });
    await shown.waitFor();
    await site.button("I have stored it").click();
    await shown.waitFor({ state: "detached" });
    await site.button("Turn on").click();
    await dialog.getByRole("button", { name: "Turn on" }).click();
    await dialog.getByRole("alert").filter({ hasText: "owner" }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.reload();
    await site.button("Rotate token").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("shows the installation to the operator, and rotates its keys", async () => {
    await page.goto(site.at("operator?tab=keys"));
    const field = page.getByLabel("Operator's token", { exact: true });
    await field.fill("not-a-token");
    await site.button("Continue").click();
    await page.getByRole("alert").waitFor();
    await field.fill(await site.world.server.token());
    await site.button("Continue").click();
    const keys = page.getByRole("table", { name: "Signing keys" });
    await keys.getByText("current").first().waitFor();
    await site.button("Rotate keys").click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate keys" }).click();
    await keys.getByText("retiring").waitFor();
    await page.getByRole("link", { name: "Quotas" }).click();
    await site.button("Edit").click();
    await page.getByRole("dialog").getByLabel("Repositories").fill("100");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Repositories: 100").waitFor();
    // The token is in the memory of the page only.
    await page.reload();
    await field.waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("offers a viewer nothing that she may not do, and the API rejects it", async () => {
    const identity = (await identities()).find(({ name }) => name === "publish");
    const person = await secondPerson(site, organization);
    await person.page.goto(site.at(`identity/${identity?.uid}`));
    await site.heading("publish", person.page).waitFor();
    await person.page.getByRole("button", { name: "Edit: not allowed" }).waitFor();
    assert.equal(await person.page.getByRole("button", { name: "Delete" }).count(), 0);
    await person.page.goto(site.at(`providers/${organization}`));
    await person.page.getByRole("button", { name: "Connect provider: not allowed" }).waitFor();
    await person.page.goto(site.at(`new-identity/${organization}`));
    await person.page.getByRole("button", { name: "Create identity: not allowed" }).waitFor();
    await person.page.goto(site.at(""));
    await site.heading("Organizations", person.page).waitFor();
    const ask = async (method: string, path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${person.token}`,
        "content-type": "application/json",
      };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await fetch(`${site.world.accounts.url}${path}`, init)).status;
    };
    assert.equal(await ask("DELETE", `/iam/v2beta1/identities/${identity?.uid}`), 403);
    assert.equal(await ask("GET", "/installation/v2beta1/status"), 403);
    assert.equal(await ask("POST", "/installation/v2beta1/signingKeys:rotate", {}), 403);
    assert.deepEqual(
      person.complaints.filter((one) => !/status of 40[0134]/.test(one)),
      [],
    );
  });
});
