import { secondPerson } from "../support/second-person.ts";
import type { Walks } from "../support/walks.ts";

export const ACCESS: Walks = {
  async "creates, changes and deletes a role"({ site, page, keys, organization }) {
    await page.goto(site.at(`roles/${organization}?tab=custom`));
    await keys.open("button", "Create role");
    await keys.write("Name", "release-manager");
    await keys.write("Search capabilities", "tag.", "searchbox");
    await keys.check("checkbox", "tag");
    await keys.activate("button", "Create role");
    await keys.closed();
    await keys.activate("link", "release-manager");
    await site.heading("release-manager").waitFor();
    await keys.open("button", "Edit");
    await keys.write("Description", "publishes images");
    await keys.press("Enter");
    await keys.closed();
    await page.getByText("publishes images").waitFor();
    await keys.isAt("button", "Edit");
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("Roles").waitFor();
    await keys.isAt("heading", "Roles");
  },

  async "grants and revokes access, and stays in the list"({ site, page, keys, organization }) {
    for (const name of ["nightly", "weekly"]) {
      await site.world.http.post(`/iam/v2beta1/identities/${organization}`, {
        name,
        claimMatch: { issuer: "https://ci.example.com", subject: name },
      });
    }
    await page.goto(site.at(`access/${organization}`));
    for (const name of ["nightly", "weekly"]) {
      await keys.open("button", "Grant access");
      await keys.pick("Identity", name);
      await keys.pick("Role", "viewer");
      await keys.activate("button", "Grant access");
      await keys.closed();
      await page.getByRole("row").filter({ hasText: name }).waitFor();
      await keys.isAt("button", "Grant access");
    }
    await keys.to("link", "nightly");
    await keys.open("button", "Revoke");
    await keys.activate("button", "Revoke");
    await keys.closed();
    await page.getByRole("row").filter({ hasText: "nightly" }).waitFor({ state: "detached" });
    // The row beside it has the focus now.
    await keys.isAt("button", "Revoke");
  },

  async "invites a person, and ends the session of one"({ site, page, keys, organization }) {
    await page.goto(site.at(`people/${organization}`));
    await keys.open("button", "Invite");
    await keys.pick("Role", "viewer");
    await keys.activate("button", "Invite");
    await keys.isAt("region", "The link of the invite");
    await keys.activate("button", "I have passed it on");
    await keys.isAt("heading", "People");
    const bob = await secondPerson(site, organization);
    await page.goto(site.at(`people/${organization}`));
    await keys.activate("link", "bob");
    await site.heading("bob").waitFor();
    await keys.open("button", "End");
    await keys.activate("button", "End");
    await page.getByText("Not signed in").waitFor();
    await keys.isAt("heading", "bob");
    await bob.page.context().close();
  },
};
