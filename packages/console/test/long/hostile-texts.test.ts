import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { Receiver } from "../../../server/test/support/events/receiver.ts";
import { ConsoleSite } from "../support/site.ts";

/** Texts that would run, lead elsewhere, reorder what is beside them, hide, or push everything aside. */
const TEXTS: Readonly<Record<string, string>> = {
  markup: `"'><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>`,
  link: `javascript:alert(4)//https://example.com/`,
  template: "{{constructor.constructor('alert(5)')()}}",
  bidi: "safe\u202Egpj.exe\u202C \u2066isolated",
  hidden: "a\u200B\u200D\uFEFFdmin\u00AD",
  long: `${"W".repeat(120)} `.repeat(3),
};

type Body = Readonly<Record<string, unknown>>;

/** A resource, the texts of it that people choose, and the screen that shows it. */
interface Written {
  readonly path: (organization: string) => string;
  readonly base: Body;
  readonly texts: readonly string[];
  readonly screens: (uid: string, organization: string) => readonly string[];
}

const OIDC = { issuer: "https://idp.example.com", clientId: "wharf", clientSecret: "secret" };
const CLAIMS = { issuer: "https://ci.example.com", subject: "app" };

function writtenOf(viewer: string, sink: string): Readonly<Record<string, Written>> {
  return {
    groups: {
      path: (organization) => `/iam/v2beta1/groups/${organization}`,
      base: { name: "folder" },
      texts: ["name", "description"],
      screens: (uid) => [`folders/${uid}`, `access/${uid}`, `people/${uid}`],
    },
    roles: {
      path: (organization) => `/iam/v2beta1/roles/${organization}`,
      base: { name: "role", capabilities: ["groups.list"] },
      texts: ["name", "description"],
      screens: (uid, organization) => [`roles/${organization}?role=${encodeURIComponent(uid)}`],
    },
    identities: {
      path: (organization) => `/iam/v2beta1/identities/${organization}`,
      base: { name: "identity", claimMatch: CLAIMS },
      texts: [
        ...["name", "description", "claimMatch.issuer", "claimMatch.subject"],
        ...["claimMatch.audience", "claimMatch.claims.repository"],
      ],
      screens: (uid) => [`identity/${uid}`, `identity/${uid}?tab=use`],
    },
    providers: {
      path: (organization) => `/iam/v2beta1/identityProviders/${organization}`,
      base: { name: "provider", defaultRole: viewer, oidc: OIDC },
      texts: ["name", "description", "oidc.issuer", "oidc.clientId", "oidc.groupsClaim"],
      screens: (uid) => [`provider/${uid}`],
    },
    invites: {
      path: (organization) => `/iam/v2beta1/groupInvites/${organization}`,
      base: { roleUid: viewer, ttl: "3600s" },
      texts: ["email"],
      screens: (_, organization) => [`people/${organization}?tab=invites`],
    },
    repos: {
      path: (organization) => `/registry/v2beta1/repos/${organization}`,
      base: { name: "repo" },
      texts: ["name", "description"],
      screens: (uid) => [`repo/${uid}`],
    },
    subscriptions: {
      path: (organization) => `/events/v2beta1/subscriptions/${organization}`,
      base: { sink },
      texts: ["name", "description", "sink"],
      screens: (uid) => [`subscription/${uid}`],
    },
  };
}

/** A copy of a body with a text at a path. */
function withText(body: Body, path: string, text: string): Body {
  const [first = "", ...rest] = path.split(".");
  const inner = (body[first] ?? {}) as Body;
  return { ...body, [first]: rest.length === 0 ? text : withText(inner, rest.join("."), text) };
}

describe("hostile texts in everything that people can write", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  let receiver: Receiver;
  let written: Readonly<Record<string, Written>>;
  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
    receiver = await Receiver.start((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(TEXTS.markup);
    });
    const { body } = await site.world.http.get("/iam/v2beta1/roles?name=viewer");
    written = writtenOf(body.roles[0].uid, receiver.url);
    await site.signInAt();
  });
  after(async () => {
    await receiver.stop();
    await site.stop();
  });

  const wide: string[] = [];

  /** Opens a screen: nothing runs, nothing leads to a script, and nothing leaves the window. */
  async function isHarmless(screen: string): Promise<void> {
    await page.goto(site.at(screen));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("main .loading").first().waitFor({ state: "detached" });
    const foreign = "img[src], iframe, object, embed, script:not([src^='/console/']), [onerror]";
    assert.equal(await page.locator(foreign).count(), 0, screen);
    const scripts = `[...document.links].filter(({ protocol }) => !/^(https?|mailto):$/.test(protocol)).map(({ href }) => href)`;
    assert.deepEqual(await page.evaluate(scripts), [], screen);
    const width = "document.documentElement.scrollWidth - innerWidth";
    if ((await page.evaluate<number>(width)) > 0) wide.push(screen);
    assert.deepEqual(site.complaints, [], screen);
  }

  test("are rejected with the field, or shown as text on every screen", async () => {
    const { http } = site.world;
    for (const [kind, { path, base, texts, screens }] of Object.entries(written)) {
      const shown = new Set<string>();
      for (const [name, text] of Object.entries(TEXTS)) {
        let body: Body = "name" in base ? { ...base, name: `${kind} ${name}` } : base;
        for (const field of texts) {
          const tried = withText(body, field, text);
          const { status, body: answer } = await http.post(path(organization), tried);
          if (status === 200) {
            await http.delete(`${path(organization).split(`/${organization}`)[0]}/${answer.uid}`);
            body = tried;
          } else {
            assert.equal(status, 400, `${kind}.${field} ${name}: ${JSON.stringify(answer)}`);
          }
        }
        // All texts that are accepted, in one resource.
        const { status, body: made } = await http.post(path(organization), body);
        if (kind !== "invites") assert.equal(status, 200, JSON.stringify(made));
        for (const screen of screens(made.uid, organization)) shown.add(screen);
      }
      for (const screen of shown) await isHarmless(screen);
    }
    assert.deepEqual(wide, [], "scroll sideways");
  });

  test("are text in lists, the audit log, events, deliveries and sessions", async () => {
    const { http } = site.world;
    const headers = { "user-agent": TEXTS.markup?.replaceAll(/[^\x20-\x7e]/g, "") ?? "" };
    const { token } = await site.world.member({ [organization]: "owner" });
    await fetch(`${site.world.server.url}/iam/v2beta1/groups/${organization}`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "by a hostile client", description: TEXTS.markup }),
    });
    const { body } = await http.get(
      `/audit/v2beta1/entries?filter.method=CreateGroup&filter.resource=${organization}`,
    );
    const lists = ["folders", "access", "people", "identities", "roles", "providers", "repos"];
    const more = ["events", "subscriptions", "audit", "advisories"];
    for (const screen of [...lists, ...more]) await isHarmless(`${screen}/${organization}`);
    for (const { uid } of body.entries.slice(0, 3)) {
      await isHarmless(`audit-entry/${organization}/${uid}`);
    }
    await isHarmless("account");
    assert.deepEqual(wide, [], "scroll sideways");
  });
});
