import { ADVISORIES, DOCUMENT } from "../areas/advisories.ts";
import { REGISTRY } from "../areas/registry.ts";
import type { Walks } from "../support/walks.ts";

export const IMAGES: Walks = {
  async "leads from repositories to a tag, and to its image"({ site, page, keys, organization }) {
    await REGISTRY.fill(site, organization);
    await page.goto(site.at(`repos/${organization}`));
    await keys.write("Name", "shop");
    await keys.press("Enter");
    await page.getByText("1 to 1 of 1").waitFor();
    await keys.isAt("textbox", "Name");
    await keys.activate("link", "shop-api");
    await site.heading("shop-api").waitFor();
    await keys.isAt("heading", "shop-api");
    await keys.activate("link", "Digests");
    await keys.isAt("link", "Digests");
    await keys.activate("link", "Tags");
    await keys.activate("link", "latest");
    await site.heading("shop-api:latest").waitFor();
    await keys.activate("link", /^sha256:/);
    await page.getByRole("table", { name: "Platforms" }).waitFor();
    await keys.isAt("heading", /^shop-api/);
  },

  async "creates and deletes a repository"({ site, page, keys, organization }) {
    await page.goto(site.at(`repos/${organization}`));
    await keys.open("button", "Create repository");
    await keys.write("Name", "carts");
    await keys.press("Enter");
    await site.heading("carts").waitFor();
    await keys.isAt("heading", "carts");
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("Repositories").waitFor();
    await keys.isAt("heading", "Repositories");
  },

  async "creates an advisory, and adds an event"({ site, page, keys, organization }) {
    await ADVISORIES.fill(site, organization);
    await page.goto(site.at(`advisories/${organization}`));
    await keys.open("button", "Create advisory");
    await keys.write("Artifact", "busybox");
    await keys.write(/^Vulnerabilities/, "CVE-2026-1");
    await keys.activate("button", "Create advisory");
    await keys.closed();
    await site.heading("Advisories").waitFor({ state: "detached" });
    await keys.open("button", "Add event");
    await keys.select("What happened", "fixed");
    await keys.write("Fixed version", "1.37.0-r1");
    await keys.activate("button", "Add event");
    await keys.closed();
    await page.getByText("1.37.0-r1").first().waitFor();
    await keys.isAt("button", "Add event");
  },

  async "reviews events, and stays in the queue"({ site, page, keys, organization }) {
    await page.goto(site.at(`advisories/${organization}?tab=reviews`));
    const row = page.getByRole("row").filter({ hasText: "CGA-88cc-ffgg-hhjj" });
    await row.waitFor();
    await keys.to("link", "CGA-88cc-ffgg-hhjj");
    await keys.open("button", "Review");
    await page.getByText("End of life in two weeks.").waitFor();
    await keys.activate("button", "Review");
    await keys.closed();
    await row.waitFor({ state: "detached" });
    await page.locator("tbody :focus").waitFor();
  },

  async "imports a document"({ site, page, keys, organization }) {
    // Before the page: choosers are not reported at once, and one that opens before that never is.
    const opened = page.waitForEvent("filechooser");
    await page.goto(site.at(`advisories/${organization}?tab=import`));
    await keys.to("button", "Choose files");
    await keys.press("Enter");
    const chooser = await opened;
    await chooser.setFiles({ name: "zlib.yaml", mimeType: "", buffer: Buffer.from(DOCUMENT) });
    await page.locator(".tally").getByText("1").first().waitFor();
    await keys.isAt("button", "Choose files");
  },
};
