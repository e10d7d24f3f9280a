import { builtinRole } from "@wharf/contract";
import type { Page } from "playwright-core";
import { openPage } from "../../../server/test/support/browser/browser.ts";
import { HttpBrowser } from "../../../server/test/support/browser/http-browser.ts";
import { PASSWORD } from "../../../server/test/support/world/local-accounts.ts";
import type { ConsoleSite } from "./site.ts";

/** Someone else, in a browser of her own. */
export interface Person {
  readonly page: Page;
  readonly complaints: string[];
  /** The uid of her identity. */
  readonly uid: string;
  /** Her access token, to send requests that the console does not offer. */
  readonly token: string;
}

/** Invites a person with a role to a group, and signs her in at a screen. */
export async function secondPerson(
  site: ConsoleSite,
  group: string,
  { role = "viewer", name = "bob", screen = "organizations" } = {},
): Promise<Person> {
  const { world, browser } = site;
  const { body } = await world.http.post(`/iam/v2beta1/groupInvites/${group}`, {
    roleUid: builtinRole(role)?.uid,
    ttl: "3600s",
    singleUse: true,
  });
  const visitor = new HttpBrowser();
  const invite = `${world.accounts.url}/oauth?invite=${encodeURIComponent(body.code)}`;
  const form = await visitor.submit(await visitor.open(invite), {}, { action: "/oauth/account" });
  const account = { username: name, password: PASSWORD, password_again: PASSWORD };
  await visitor.submit(form, account);
  const { page, complaints } = await openPage(browser);
  await page.goto(site.at(screen));
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForURL(/\/console\//);
  const session = `fetch("/console/session/token", { method: "POST" }).then((one) => one.json())`;
  const { accessToken, identity } = (await page.evaluate(session)) as Record<string, string>;
  return { page, complaints, uid: identity ?? "", token: accessToken ?? "" };
}
