import assert from "node:assert/strict";
import { PASSWORD } from "../../../server/test/support/world/local-accounts.ts";
import type { Walks } from "../support/walks.ts";

export const PLACES: Walks = {
  async "signs in"({ site, page, keys }) {
    await page.goto(site.at("organizations"));
    await keys.write("Username", "ada");
    await keys.write("Password", PASSWORD);
    await keys.press("Enter");
    await site.heading("Organizations").waitFor();
  },

  async "skips the navigation"({ page, keys }) {
    await keys.activate("link", "Skip to content");
    await page.locator("main:focus").waitFor();
    await keys.to("button", "As command");
    await keys.press("Enter");
    await page.getByText("wharf iam organizations list").waitFor();
    await keys.press("Escape");
    await keys.isAt("button", "As command");
  },

  async "creates an organization"({ site, page, keys }) {
    await keys.open("button", "Create organization");
    await keys.isAt("textbox", "Name");
    await keys.write("Name", "Not A Name");
    await keys.activate("button", "Create organization");
    await page.getByRole("alert").waitFor();
    await keys.isAt("textbox", "Name");
    await keys.write("Name", "harbor.example");
    await keys.press("Enter");
    await keys.closed();
    await keys.activate("link", "harbor.example");
    await site.heading("harbor.example").waitFor();
    await keys.isAt("heading", "harbor.example");
  },

  async "creates folders, renames one and deletes it"({ site, page, keys }) {
    for (const name of ["north", "south"]) {
      await keys.open("button", "Create folder");
      await keys.write("Name", name);
      await keys.press("Enter");
      await keys.closed();
      await page.getByRole("treeitem", { name }).waitFor();
      await keys.isAt("button", "Create folder");
    }
    await keys.activate("treeitem", "harbor.example");
    await keys.press("s");
    await keys.isAt("treeitem", "south");
    await keys.press("Enter");
    await site.heading("south").waitFor();
    await keys.isAt("treeitem", "south");
    await page.goto(page.url());
    await keys.open("button", "Edit");
    await keys.write("Name", "west");
    await keys.press("Enter");
    await site.heading("west").waitFor();
    await keys.isAt("button", "Edit");
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("harbor.example").waitFor();
    await keys.isAt("heading", "harbor.example");
  },

  async "finds, sorts and chooses columns of a list"({ page, keys }) {
    await keys.write("Search subfolders by prefix", "n");
    await keys.activate("button", "Apply");
    await page.getByText("1 to 1 of 1").waitFor();
    await keys.isAt("button", "Apply");
    await keys.activate("button", "Clear");
    await keys.activate("button", "Name");
    await page
      .getByRole("columnheader", { name: "Name" })
      .and(page.locator("[aria-sort=descending]"))
      .waitFor();
    await keys.isAt("button", "Name");
    await keys.activate("button", "Columns");
    await keys.check("checkbox", "Created");
    await page.getByRole("columnheader", { name: "Created" }).waitFor({ state: "detached" });
    await keys.check("checkbox", "Created");
    await keys.press("Escape");
    await keys.isAt("button", "Columns");
  },

  async "goes places by the palette"({ site, page, keys }) {
    await keys.press("Control+k");
    await keys.isAt("combobox", /^Find pages/);
    await keys.press("Escape");
    await keys.closed();
    await keys.isAt("button", "Columns");
    await keys.press("Control+k");
    await keys.isAt("combobox", /^Find pages/);
    await keys.type("nort");
    await page.getByRole("option").filter({ hasText: "north" }).waitFor();
    await keys.press("Enter");
    await site.heading("north").waitFor();
    await keys.isAt("heading", "north");
  },

  async "deletes the folder, then its organization"({ site, page, keys }) {
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("harbor.example").waitFor();
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("Organizations").waitFor();
    await keys.isAt("heading", "Organizations");
    await page.getByRole("link", { name: "harbor.example" }).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("link", { name: "acme" }).count(), 1);
  },
};
