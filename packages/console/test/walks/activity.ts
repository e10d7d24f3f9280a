import type { Walks } from "../support/walks.ts";

/** Nothing listens here: what is sent fails at once, and can be sent again. */
const SINK = "http://127.0.0.1:9/events";

export const ACTIVITY: Walks = {
  async "creates a subscription with a filter, and previews it"(walker) {
    const { site, page, keys, organization } = walker;
    await page.goto(site.at(`subscriptions/${organization}`));
    await keys.activate("link", "Create subscription");
    await site.heading("Create subscription").waitFor();
    await keys.isAt("heading", "Create subscription");
    await keys.write("URL", SINK);
    await keys.write("Name", "hooks");
    // Arrows move between radio buttons.
    await keys.to("radio", "All events");
    await keys.press("ArrowDown");
    await keys.isAt("radio", /^Only these types/);
    await keys.write("Find a type of event", "iam.group.", "searchbox");
    await keys.check("checkbox", "iam.group.*");
    await page
      .getByRole("region", { name: "Preview" })
      .getByText(/would have been sent/)
      .waitFor();
    await keys.select("Over events of", "the last 7");
    await keys.activate("button", "Create subscription");
    await site.heading("hooks").waitFor();
    await keys.isAt("heading", "hooks");
  },

  async "pauses and resumes it, and generates and rotates its secret"({ page, keys }) {
    await keys.activate("button", "Pause");
    await keys.isAt("button", "Resume");
    await keys.press("Enter");
    await keys.isAt("button", "Pause");
    await keys.open("button", "Generate secret");
    await keys.activate("button", "Generate secret");
    await keys.isAt("region", "Copy the secret now");
    await keys.activate("button", "I have copied it");
    await keys.isAt("heading", "hooks");
    await keys.activate("button", "Secret");
    await keys.activate("button", "Rotate secret");
    await page.locator(".dialog").waitFor();
    await keys.select("The earlier secret signs for", "7 days");
    await keys.activate("button", "Rotate secret");
    await keys.isAt("region", "Copy the secret now");
    await keys.activate("button", "I have copied it");
  },

  async "sends an event again"({ site, page, keys, organization }) {
    await site.world.http.post(`/iam/v2beta1/groups/${organization}`, { name: "watched" });
    const select = page.getByRole("checkbox", { name: /^Select/ });
    await select.first().waitFor();
    await page.goto(page.url());
    await keys.check("checkbox", /^Select/);
    await page.getByRole("button", { name: "Send 1 again" }).waitFor();
    await page.goto(page.url());
    await keys.open("button", "Send all failed again");
    await keys.activate("button", "Send all failed again");
    await keys.closed();
    await keys.isAt("button", "Send all failed again");
    await page.goto(page.url());
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("Subscriptions").waitFor();
    await keys.isAt("heading", "Subscriptions");
  },

  async "filters the audit log, and opens an entry"({ site, page, keys, organization }) {
    await page.goto(site.at(`audit/${organization}`));
    await keys.select("Outcome", "succeeded");
    await page.waitForURL(/outcome=succeeded/);
    await keys.isAt("combobox", "Outcome");
    await keys.write("Action", "CreateGroup");
    await keys.press("Enter");
    await page.waitForURL(/CreateGroup/);
    await page.getByRole("row").nth(1).waitFor();
    await keys.activate("link", /CreateGroup/);
    await page.getByRole("heading", { name: "Integrity" }).waitFor();
    await page.locator("h1:focus").waitFor();
  },

  async "exports and verifies the audit log"({ site, page, keys, organization }) {
    await page.goto(site.at(`audit/${organization}`));
    await keys.open("button", "Export");
    await keys.select("Format", "CSV");
    const saving = page.waitForEvent("download");
    await keys.activate("button", "Export");
    await saving;
    await keys.closed();
    await keys.isAt("button", "Export");
    await keys.activate("link", "Verify");
    await site.heading("Verify the audit log").waitFor();
    await keys.activate("button", "Verify");
    await page.getByText("Nothing was changed").waitFor();
    await keys.isAt("button", "Verify");
  },
};
