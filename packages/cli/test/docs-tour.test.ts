import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodeJwt } from "jose";
import { Http } from "../../server/test/support/client/http.ts";
import { firstRunOf } from "../../server/test/support/world/local-accounts.ts";
import { roleNamed, World } from "../../server/test/support/world/world.ts";
import { withImage } from "./support/image-source.ts";
import { Site } from "./support/site.ts";
import { type Step, stepsOf, walkThrough } from "./support/walkthrough.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SETUP_CODE = /(?:[A-Z]{4}-){4}[A-Z]{4}/g;

function document(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

async function siteFor(t: TestContext): Promise<Site> {
  const site = await Site.start();
  t.after(() => site.stop());
  return site;
}

test("the tour of the README prints what it says", async (t) => {
  const { server } = await siteFor(t);
  const [start, ...tour] = stepsOf(document("README.md"));
  assert.equal(start?.command, "npm start\n");
  const { url, code } = await firstRunOf(server);
  const first = `wharf: first run: open ${url} and enter the code ${code} (valid for 24 hours)\n`;
  const expected = `${first}wharf: ready at ${server.url}\n`.replaceAll(new URL(url).port, "8080");
  assert.equal(start.output.replace(SETUP_CODE, "…"), expected.replace(SETUP_CODE, "…"));
  assert.ok(tour.length > 12);
  await walkThrough(tour, server, {}, withImage(server));
});

test("the commands of docs/api.md print what it says", async (t) => {
  const { server } = await siteFor(t);
  const steps = stepsOf(document("docs/api.md"));
  assert.ok(steps.length > 7);
  await walkThrough(steps, server);
});

test("the commands of docs/advisories.md print what it says", async (t) => {
  const site = await siteFor(t);
  await site.make("organizations", "acme");
  const steps = stepsOf(document("docs/advisories.md"));
  assert.ok(steps.length > 12);
  await walkThrough(steps, site.server, site.env);
});

test("the commands of docs/after-a-leak.md print what it says", async (t) => {
  const world = await World.start({ login: true });
  t.after(() => world.stop());
  const {
    server,
    http: operator,
    login: { organization, provider },
  } = world;
  const at = `/iam/v2beta1/identityProviders/${provider}`;
  assert.equal((await operator.patch(at, { name: "sso" })).status, 200);
  assert.equal((await operator.post(`${at}:generateScimToken`)).status, 200);
  const invite = { roleUid: roleNamed("viewer"), ttl: "900s" };
  const { body } = await operator.post(`/iam/v2beta1/groupInvites/${organization}`, invite);
  // Keys for registries exist after the first request for them.
  assert.equal((await fetch(`${server.url}/registry/certs.pem`)).status, 200);
  const { access_token } = await world.login.logIn("ada");
  const PERSON = decodeJwt(access_token).sub as string;
  const [rotating, single] = document("docs/after-a-leak.md")
    .split(/^(?=## A token or session of someone)/m)
    .map(stepsOf) as [Step[], Step[]];
  assert.ok(rotating.length > 9 && single.length === 4);
  // The part that ends one session comes first: a rotation ends all of them.
  const WHARF_TOKEN = await server.token();
  await walkThrough(single, server, { CODE: body.code, PERSON, WHARF_TOKEN });
  const status = async (token: string) =>
    (await new Http(server.url, token).get("/iam/v2beta1/groups")).status;
  assert.equal(await status(access_token), 401);
  await world.login.logIn("ada");
  await walkThrough(rotating, server);
  assert.equal(await status(WHARF_TOKEN), 401);
  const rest = new Http(server.url, await server.token());
  assert.deepEqual((await rest.get("/iam/v2beta1/groupInvites")).body.groupInvites ?? [], []);
});
