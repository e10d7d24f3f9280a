import { HttpBrowser } from "../../packages/server/test/support/browser/http-browser.ts";
import { Http } from "../../packages/server/test/support/client/http.ts";
import {
  FIXTURE_URL,
  type StoreFixture,
} from "../../packages/server/test/support/server/store-fixture.ts";
import type { Program } from "./program.ts";

const ACCOUNT = { username: "ada", password: "correct horse battery staple" };

const IAM = "/iam/v2beta1";
const REGISTRY = "/registry/v2beta1";
const ADVISORIES = "/vulnerabilities/v2beta1/advisories";

type Filled = Omit<StoreFixture, "secretKey">;

/** Fills a new installation: an account, and at least one of every resource that versions share. */
export async function fill(program: Program): Promise<Filled> {
  await setUp(program);
  const api = new Http(program.url, program.token());
  const resources: { path: string; body: object }[] = [];
  const get = async (path: string) => {
    const { status, body } = await api.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    // The next version listens elsewhere.
    const text = JSON.stringify(body).replaceAll(program.url, FIXTURE_URL);
    resources.push({ path, body: JSON.parse(text) });
    return body;
  };
  const create = async (path: string, parent: string, sent: object): Promise<string> => {
    const { status, body } = await api.post(`${path}/${parent}`, sent);
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    await get(`${path}/${body.uid}`);
    return body.uid;
  };
  const { body: root } = await api.post(`${IAM}/groups`, { name: "old", description: "kept" });
  await get(`${IAM}/groups/${root.uid}`);
  const folder = await create(`${IAM}/groups`, root.uid, { name: "folder" });
  const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST"];
  const roleUid = await create(`${IAM}/roles`, root.uid, { name: "reader", capabilities });
  const claimMatch = { issuer: "https://issuer.example", subject: "workload" };
  const identityUid = await create(`${IAM}/identities`, root.uid, { name: "ci", claimMatch });
  await create(`${IAM}/roleBindings`, folder, { identityUid, roleUid });
  const oidc = { issuer: "https://login.example", clientId: "wharf", clientSecret: "throw-away" };
  await create(`${IAM}/identityProviders`, root.uid, { name: "sso", defaultRole: roleUid, oidc });
  const repo = await create(`${REGISTRY}/repos`, folder, { name: "app" });
  const digest = `sha256:${"a".repeat(64)}`;
  await create(`${REGISTRY}/tags`, repo, { name: "latest", digest });
  await api.patch(`${REGISTRY}/settings/${root.uid}`, { uniqueTags: true });
  await get(`${REGISTRY}/settings/${root.uid}`);
  await importAdvisories(api, root.uid);
  const { advisories } = (await api.get(ADVISORIES)).body;
  for (const { uid } of advisories) await get(`${ADVISORIES}/${uid}`);
  // Nothing is sent: no event has this type.
  const filters = [{ exact: { type: "none" } }];
  const subscription = { sink: "https://sink.example/events", filters };
  await create("/events/v2beta1/subscriptions", folder, subscription);
  const { keys } = (await api.get("/.well-known/jwks.json")).body;
  return {
    account: ACCOUNT,
    identity: identityUid,
    signingKeys: keys.map(({ kid }: { kid: string }) => kid),
    resources,
  };
}

async function setUp({ url, code }: Program): Promise<void> {
  const browser = new HttpBrowser();
  const page = await browser.open(`${url.replace("127.0.0.1", "localhost")}/setup`);
  const { username, password } = ACCOUNT;
  const form = { code, organization: "acme", username, password, password_again: password };
  const { status, text } = await browser.submit(page, form);
  if (status !== 200) throw new Error(`setup: ${status} ${text}`);
}

async function importAdvisories(api: Http, parent: string): Promise<void> {
  const events = [
    { createTime: "2026-03-01T00:00:00.000Z", detection: { manual: {} } },
    {
      createTime: "2026-03-02T00:00:00.000Z",
      author: "a@example.com",
      fixed: { fixedVersion: "3.1.4-r1" },
    },
  ];
  const advisory = {
    advisoryId: "CGA-2222-2222-2222",
    artifactType: "apk",
    artifactName: "openssl",
  };
  const documents = [
    { name: "openssl.yaml", advisories: [{ ...advisory, aliases: ["CVE-2026-0001"], events }] },
  ];
  const { status, body } = await api.post(`${ADVISORIES}/${parent}:import`, { documents });
  if (status !== 200) throw new Error(`import: ${status} ${JSON.stringify(body)}`);
}
