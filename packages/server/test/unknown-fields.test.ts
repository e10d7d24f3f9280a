import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { onStore, roleNamed } from "./support/world/world.ts";

onStore("sqlite", "unknown fields of JSON", (world) => {
  let org: string;
  let identityUid: string;
  before(async () => {
    org = await world.organization();
    identityUid = (await world.member()).uid;
  });

  const send = async (method: string, path: string, body: unknown, prefer?: string) => {
    const token = await world.server.token();
    const headers: Record<string, string> = prefer === undefined ? {} : { prefer };
    const answer = await new Http(world.server.url, token, headers).send(method, path, body);
    return {
      ...{ status: answer.status, body: answer.body },
      warning: answer.headers.get("warning"),
      applied: answer.headers.get("preference-applied"),
    };
  };
  const binding = () => ({ identityUid, roleUid: roleNamed("viewer"), expireTime: "2030-01-01" });
  const violations = ({ body }: Awaited<ReturnType<typeof send>>) =>
    body.details.flatMap(({ fieldViolations = [] }) =>
      // biome-ignore lint/suspicious/noExplicitAny: as the API has them.
      fieldViolations.map((one: any) => one.field),
    );

  for (const [name, path, bound] of [
    ["v2beta1", "roleBindings", () => ({ identityUid, roleUid: roleNamed("viewer") })],
    ["v1", "rolebindings", () => ({ identity: identityUid, role: roleNamed("editor") })],
  ] as const) {
    test(`are named in a warning in ${name}, and rejected if the client prefers that`, async () => {
      const at = `/iam/${name}/${path}/${org}`;
      const body = { ...bound(), expireTime: "2030-01-01" };
      const count = async () => (await list()).totalCount;
      const list = () => world.operator().roleBindings.list({ uidp: { childrenOf: org } });
      const before = await count();
      const strict = await send("POST", at, body, "handling=strict");
      assert.deepEqual([strict.status, strict.applied], [400, "handling=strict"]);
      assert.deepEqual(violations(strict), ["expireTime"]);
      assert.equal(await count(), before, "nothing was created");
      const lenient = await send("POST", at, body, "handling=lenient");
      assert.deepEqual([lenient.status, lenient.applied], [200, "handling=lenient"]);
      assert.equal(lenient.warning, '299 - "unknown field expireTime"');
    });
  }

  test("known fields cause neither", async () => {
    const path = `/iam/v2beta1/groups/${org}`;
    const plain = await send("POST", path, { name: "plain" });
    assert.deepEqual([plain.status, plain.warning, plain.applied], [200, null, null]);
    const strict = await send("POST", path, { name: "strict" }, "handling=strict");
    assert.deepEqual([strict.status, strict.warning], [200, null]);
    assert.equal(strict.applied, "handling=strict");
  });

  test("errors have the warning, too", async () => {
    const failed = await send("POST", `/iam/v2beta1/groups/${org}`, { nmae: "x" });
    assert.deepEqual([failed.status, failed.warning], [400, '299 - "unknown field nmae"']);
  });

  test("nested ones are named by their path, and cannot add headers", async () => {
    const path = "/iam/v2beta1/roleBindings:batchCreate";
    const one = { roleBinding: { ...binding(), 'a"\r\nx-evil: 1': 1 } };
    const { status, warning } = await send("POST", path, { parent: org, requests: [one] });
    assert.equal(status, 200);
    assert.equal(
      warning,
      '299 - "unknown field requests[0].roleBinding.expireTime", ' +
        '299 - "unknown field requests[0].roleBinding.a???x-evil: 1"',
    );
  });

  test("a patch without a mask rejects them, one with a mask does not", async () => {
    const path = `/iam/v2beta1/groups/${org}`;
    assert.deepEqual(violations(await send("PATCH", path, { nope: 1 })), ["nope"]);
    const masked = await send("PATCH", `${path}?updateMask=description`, { nope: 1 });
    assert.deepEqual([masked.status, masked.warning], [200, '299 - "unknown field nope"']);
    const strict = await send(
      "PATCH",
      `${path}?updateMask=description`,
      { nope: 1 },
      "handling=strict",
    );
    assert.deepEqual(violations(strict), ["nope"]);
  });
});
