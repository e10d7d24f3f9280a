import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { DescMethod } from "@bufbuild/protobuf";
import {
  Auth,
  accessOf,
  GroupsService,
  httpRulesOf,
  SERVICES,
  SecurityTokenService,
  SessionsService,
} from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { ApiError, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { ValidRequests } from "./support/fuzz/boundary-requests.ts";
import { changesSince, storeDigest } from "./support/fuzz/store-digest.ts";
import { onEachStore, roleNamed, type World } from "./support/world/world.ts";

/** Methods without dry run: tokens, sessions and their issuers, clouds, and registries. */
const UNTRIED = new Set([
  "wharf.auth.Auth/Register",
  "wharf.auth.Auth/GetHeadlessSession",
  "wharf.oidc.SecurityTokenService/Exchange",
  "wharf.oidc.SecurityTokenService/ExchangeRefreshToken",
  "wharf.ping.v2beta1.PingService/Ping",
  "wharf.ping.v1.PingService/Ping",
  "wharf.iam.v2beta1.IdentitiesService/TestIdentity",
  "wharf.iam.v2beta1.AccountAssociationsService/CheckAccountAssociation",
  "wharf.iam.v1.GroupAccountAssociations/Check",
  "wharf.installation.v2beta1.InstallationService/RotateSigningKeys",
  "wharf.registry.v2beta1.ImagesService/DeleteImage",
  "wharf.registry.v2beta1.RegistriesService/ReconcileRegistries",
  // Has a preview of its own.
  "wharf.registry.v2beta1.RegistryStorageService/CollectGarbage",
]);

/** Tables that the server writes without a request. */
const BACKGROUND = /^(leases|event_cursors|registry_passes|audit_.*)$/;

/** Methods that need the session of a person. */
const OF_PEOPLE = new Set([
  "wharf.auth.Auth/Delete",
  "wharf.auth.SessionsService/EndSession",
  "wharf.auth.SessionsService/Logout",
]);

const nameOf = ({ parent, name }: DescMethod) => `${parent.typeName}/${name}`;
const isRead = (method: DescMethod) =>
  httpRulesOf(method).every(({ verb }) => verb === "GET") && accessOf(method)?.kind !== "anyone";
const WRITES = [...SERVICES, ...SERVICES_V1]
  .flatMap(({ methods }) => methods)
  .filter((method) => !isRead(method) && !OF_PEOPLE.has(nameOf(method)));

/** The names of all fields at any depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== "object") return typeof value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, one]) => [name, shapeOf(one)]));
}

type Outcome = { readonly answer: Answer } | { readonly error: string };

async function outcomeOf(
  api: ApiClient,
  { parent, name }: DescMethod,
  request: object,
): Promise<Outcome> {
  try {
    return { answer: await api.call(parent, name, request) };
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return { error: `${error.code} ${Object.keys(error.fields)}` };
  }
}

onEachStore(
  "dry runs",
  (world) => {
    let ground: ValidRequests;
    let org: string;
    before(async () => {
      ground = await ValidRequests.prepare(world);
      org = await world.organization();
    });

    const digest = ({ server }: World) => storeDigest(server, "", BACKGROUND);

    world.rule("every write stores nothing and answers as the real one", async (api) => {
      const before = await digest(world);
      const tried: DescMethod[] = [];
      for (const method of WRITES) {
        const received: (string | null)[] = [];
        const trying = api.trying((field) => received.push(field("wharf-dry-run")));
        const outcome = await outcomeOf(trying, method, ground.requestOf(method, "existing"));
        if (UNTRIED.has(nameOf(method))) {
          assert.deepEqual(outcome, { error: "3 wharf-dry-run" }, nameOf(method));
        } else if ("answer" in outcome) {
          assert.deepEqual(received, ["true"], nameOf(method));
          tried.push(method);
        }
      }
      assert.deepEqual(changesSince(before, await digest(world)), []);
      assert.ok(tried.length > 70, `${tried.length} succeeded`);
      for (const method of tried) {
        // The resources that the other methods need are not deleted.
        if (/Delete/.test(method.name)) continue;
        const outcome = await outcomeOf(api.trying(), method, ground.requestOf(method));
        const real = await outcomeOf(api, method, ground.requestOf(method));
        assert.deepEqual(shapeOf(outcome), shapeOf(real), nameOf(method));
      }
    });

    world.rule("secrets are not issued", async (api) => {
      const invite = { roleUid: roleNamed("viewer"), ttl: "3600s" };
      const made = await api.trying().groupInvites.create(org, invite);
      assert.deepEqual([made.code, made.role.name], ["", "viewer"]);
      assert.notEqual((await api.groupInvites.create(org, invite)).code, "");
    });

    world.rule("what would be rejected is rejected", async (api) => {
      const trying = api.trying();
      assert.equal((await rejected(trying.groups.create(org, { name: "" }))).code, 3);
      const folder = await world.group(org);
      await world.group(folder);
      assert.equal((await rejected(trying.groups.delete(folder))).code, 9);
      const stranger = trying.as((await world.member()).token);
      assert.equal((await rejected(stranger.groups.create(org, { name: "x" }))).code, 7);
    });

    world.rule("no idempotency key is stored", async (api) => {
      const headers = { "wharf-dry-run": "true", "idempotency-key": world.name("key") };
      const http = new Http(world.server.url, api.token, headers);
      const first = await http.post(`/iam/v2beta1/groups/${org}`, { name: "tried" });
      const second = await http.post(`/iam/v2beta1/groups/${org}`, { name: "tried" });
      assert.deepEqual([first.status, second.status], [200, 200]);
      assert.notEqual(first.body.uid, second.body.uid);
      const { totalCount } = await api.groups.list({ name: "tried" });
      assert.equal(totalCount, "0");
    });

    test("the header must be true or false, and endpoints reject it", async () => {
      const send = (value: string, path = `/iam/v2beta1/groups/${org}`, name = "x") =>
        new Http(world.server.url, world.operator().token, { "wharf-dry-run": value }).post(path, {
          name,
        });
      for (const value of ["1", "yes", "TRUE", ""]) {
        const { status, body } = await send(value);
        assert.deepEqual([status, body.code], [400, 3], value);
      }
      const unused = await send("false", undefined, world.name());
      assert.deepEqual([unused.status, unused.headers.get("wharf-dry-run")], [200, null]);
      const endpoint = await send("true", "/oauth/token");
      assert.deepEqual([endpoint.status, endpoint.body.code], [400, 3]);
      const read = new Http(world.server.url, world.operator().token, { "wharf-dry-run": "true" });
      assert.equal((await read.get(`/iam/v2beta1/groups/${org}`)).status, 200);
    });

    test("writes beside dry runs are committed", async () => {
      const api = world.operator();
      const parent = await world.group(org);
      const names = Array.from({ length: 20 }, (_, at) => `g ${at}`);
      await Promise.all(
        names.map((name, at) =>
          (at % 2 === 0 ? api : api.trying()).groups.create(parent, { name }),
        ),
      );
      const { groups } = await api.groups.list({ uidp: { childrenOf: parent }, orderBy: "name" });
      assert.deepEqual(
        groups.map(({ name }: Answer) => name).sort(),
        names.filter((_, at) => at % 2 === 0).sort(),
      );
    });

    test("people try to sign out and to leave, and stay", async () => {
      const { access_token: token } = await world.login.logIn("ada");
      const api = world.operator().as(token);
      const before = await digest(world);
      const { sessions } = await api.call(SessionsService, "ListSessions", {});
      const { subject } = await api.call(Auth, "Validate", {});
      const trying = api.trying();
      await trying.call(SessionsService, "Logout", { everywhere: true });
      await trying.call(SessionsService, "EndSession", { id: sessions[0].id });
      await trying.call(Auth, "Delete", { id: subject });
      assert.deepEqual(changesSince(before, await digest(world)), []);
      await api.call(SessionsService, "Logout", {});
      assert.equal((await rejected(api.call(Auth, "Validate", {}))).code, 16);
    });
  },
  { login: true },
);

test("every method that is not tried is in the contract", () => {
  const names = new Set(WRITES.map(nameOf));
  for (const name of UNTRIED) assert.ok(names.has(name), name);
  assert.ok(names.has(nameOf(GroupsService.method.createGroup)));
  assert.ok(names.has(nameOf(SecurityTokenService.method.exchange)));
});
