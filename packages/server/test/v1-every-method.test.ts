import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRegistry, type DescMessage, fromJsonString } from "@bufbuild/protobuf";
import { advisoriesV1, builtinRole, eventOf } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { ApiClient } from "./support/client/api-client.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import {
  callExposure,
  type ExposureGround,
  exposureGround,
} from "./support/versions/every-exposure-method.ts";
import {
  type Calls,
  callEveryMethod,
  FINDING_NOTHING,
  type Ground,
} from "./support/versions/every-v1-method.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";
import { World } from "./support/world/world.ts";

const SERVICES = [...SERVICES_V1, advisoriesV1.Advisories];
/** All but the stream of ArgosOSV, whose client is that of v1-exposure-feeds.test.ts. */
const METHODS = SERVICES.flatMap(({ methods }) => methods).filter(
  ({ methodKind }) => methodKind === "unary",
);

/** Names and protocols are independent of the store. */
const CLIENTS = {
  sqlite: [["gRPC", "public"]],
  postgres: [
    ["gRPC", "own"],
    ["REST", "public"],
  ],
} as const;

interface Row {
  readonly type: string;
  readonly subject: string;
  readonly group_uid: string;
  readonly body_type: string;
  readonly body: string;
}

interface Audited {
  readonly id: number;
  readonly method: string;
}

for (const store of STORES) {
  describe(`every v1 method works, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let token: string;
    let ground: Ground;
    // Images are read, and charts found, in the registry of the server itself.
    let own: World;
    let exposure: ExposureGround;
    before(async () => {
      tracked = await TrackedRegistry.start({ store, flags: ["--reconcile-minutes", "0"] });
      const { world } = tracked;
      token = await world.server.token();
      const pusher = await world.registry.holder("pusher", "registry.push");
      const image = tracked.image(["amd64"], () => ({ User: "65532" }));
      const { ok, output } = await tracked.push(pusher, image.source, "acme/nginx:1.0");
      assert.ok(ok, output);
      await tracked.tagged("nginx", "1.0", image.digest);
      const repoId = (await tracked.repo("nginx")) as string;
      const invite = { roleUid: builtinRole("viewer")?.uid, ttl: "3600s" };
      const { code } = await world.post(`groupInvites/${world.registry.organization}`, invite);
      const person = { issuer: world.registry.issuer.url, subject: "ada" };
      const rest = new Http(world.server.url, await world.registry.issuer.sign({ sub: "ada" }));
      assert.equal((await rest.post("/auth/v1/register", { code })).status, 200);
      const operator = new Http(world.server.url, token);
      const known = { name: "nginx", versions: [{ version: "1.27", exists: true }] };
      assert.equal((await operator.post("/registry/v2beta1/packages", known)).status, 200);
      ground = {
        org: world.registry.organization,
        person,
        package: "nginx",
        image: { repoId, digest: image.digest },
      };
      own = await World.start({ store, registry: true });
      exposure = await exposureGround(own);
    });
    after(async () => {
      closeGrpc();
      await tracked.stop();
      await own.stop();
    });

    const events = async (since: number) => {
      const sql = `SELECT id, type, subject, group_uid, body_type, body FROM events
        WHERE id > ${since} AND type NOT LIKE 'registry.pull%' ORDER BY id`;
      return rawRows<Row & { id: number }>(tracked.world.server, sql);
    };

    const audited = async (since: number) => {
      const sql = `SELECT id, method FROM audit WHERE id > ${since} AND method LIKE 'wharf.%' ORDER BY id`;
      return rawRows<Audited>(tracked.world.server, sql);
    };

    for (const [protocol, naming] of CLIENTS[store]) {
      test(`over ${protocol}, under its ${naming} name, with v1 events`, async () => {
        const before = (await events(0)).at(-1)?.id ?? 0;
        const auditedBefore = (await audited(0)).at(-1)?.id ?? 0;
        const called = new Set<string>();
        const callsOf = ({ server }: World, token: string): Calls => {
          const api = new ApiClient({ protocol, url: server.url, token, naming });
          return async (service, method, request) => {
            const answer = await api.call(service, method, request);
            called.add(`${service.typeName}/${method}`);
            return answer;
          };
        };
        await callEveryMethod(callsOf(tracked.world, token), ground);
        await callExposure(callsOf(own, await own.server.token()), exposure);
        assert.deepEqual(
          METHODS.map(({ parent, name }) => `${parent.typeName}/${name}`).filter(
            (name) => !called.has(name),
          ),
          FINDING_NOTHING,
          "each has succeeded",
        );
        await checkEvents(await events(Number(before)));
        checkAudit(await audited(Number(auditedBefore)));
      });
    }
  });
}

const MESSAGES = createRegistry(...SERVICES.map(({ file }) => file));

async function checkEvents(rows: readonly Row[]): Promise<void> {
  const expected = METHODS.flatMap((method) => eventOf(method)?.type ?? []);
  const emitted = new Set(rows.map(({ type }) => type));
  assert.deepEqual(
    expected.filter((type) => !emitted.has(type)),
    [],
    "each has left its event",
  );
  for (const { type, subject, body_type: name, body } of rows) {
    assert.match(name, /^wharf\.\w+\.v1\./, `${type} of ${subject}`);
    const schema = MESSAGES.getMessage(name) as DescMessage;
    const message = fromJsonString(schema, body) as unknown as Record<string, unknown>;
    // The subject of the event is the resource that was created, changed or deleted.
    const about = message.id ?? message.group ?? message.identityProviderId ?? message.registryId;
    if (name.endsWith(".RoleBindingBatch")) {
      const made = message.roleBindings as { id: string }[];
      assert.equal(subject, made.map(({ id }) => id).join());
    } else if (name.includes(".Batch")) assert.equal(subject, message.parentId);
    else if (!name.endsWith(".RoleBinding")) assert.equal(about, subject, type);
  }
}

/** Every change is in the audit log, under the method name of the call. */
function checkAudit(rows: readonly Audited[]): void {
  const named = new Set(rows.map(({ method }) => method));
  const expected = METHODS.filter((method) => eventOf(method) !== undefined);
  for (const { parent, name } of expected)
    assert.ok(named.delete(`${parent.typeName}/${name}`), `${parent.typeName}/${name}`);
  // The method that changes nothing, and calls a provider.
  assert.deepEqual([...named], ["wharf.iam.v1.GroupAccountAssociations/Check"]);
}
