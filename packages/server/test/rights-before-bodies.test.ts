/** Rights come before bodies: callers without them get the same denial, whatever they send. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import type { ServiceError } from "@grpc/grpc-js";
import {
  AdvisoryImportsService,
  BatchCreateRoleBindingsRequestSchema,
  CreateRoleRequestSchema,
  RoleBindingsService,
  RolesService,
} from "@wharf/contract";
import type { ApiError } from "./support/client/api-error.ts";
import { apiErrorOf, sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { parseAnswer, sendRaw } from "./support/client/raw.ts";
import { type Member, onEachStore } from "./support/world/world.ts";

const CREATE = `/${RolesService.typeName}/CreateRole`;
const BATCH = `/${RoleBindingsService.typeName}/BatchCreateRoleBindings`;
const IMPORT = `/${AdvisoryImportsService.typeName}/ImportAdvisories`;

/** A field of text that is not UTF-8: no message with it can be decoded. */
const NOT_TEXT = Buffer.from([0x0a, 1, 0xff]);

interface Denial {
  readonly code: number;
  readonly message: string;
}

onEachStore("rights before bodies", (world) => {
  let org: string;
  let other: string;
  before(async () => {
    org = await world.organization();
    other = await world.organization();
  });

  /** The answer to a request of which nothing but the head is sent. */
  const sendHead = async (method: string, path: string, { token }: Member): Promise<Denial> => {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Content-Length: 200000",
    ];
    const answer = parseAnswer(await sendRaw(world.server.url, `${lines.join("\r\n")}\r\n\r\n`));
    return JSON.parse(answer?.body.toString() ?? "");
  };
  const sendRest = async (method: string, path: string, { token }: Member, body: unknown) =>
    (await new Http(world.server.url, token).send(method, path, body)).body as Denial;
  const sendGrpc = async (path: string, { token }: Member, bytes: Uint8Array): Promise<Denial> => {
    try {
      await sendBytes(world.server.url, token, path, Buffer.from(bytes));
    } catch (error) {
      const { code, message, details } = apiErrorOf(error as ServiceError) as ApiError;
      return { code, message, details } as Denial;
    }
    assert.fail("the call was not denied");
  };
  /** The audited denials of a caller, without the fields that differ between any two. */
  const audited = async ({ uid }: Member) => {
    const { entries } = await world.operator().audit.listAuditEntries({ filter: { actor: uid } });
    // biome-ignore lint/suspicious/noExplicitAny: entries as the API has them.
    return entries.map(({ method, resource, code, detail }: any) => [
      method,
      resource,
      code,
      detail.refused,
    ]);
  };

  for (const [method, path] of [
    ["POST", "/iam/v2beta1/roles/{group}"],
    ["PATCH", "/iam/v2beta1/groups/{group}"],
    ["POST", "/iam/v1/roles/{group}"],
    ["POST", "/vulnerabilities/v2beta1/advisories/{group}:import"],
  ] as const) {
    test(`${method} ${path} is denied from its path`, async () => {
      const at = path.replace("{group}", org);
      const [none, again, elsewhere] = [
        await world.member(),
        await world.member(),
        await world.member({ [other]: "owner" }),
      ];
      const denial = await sendRest(method, at, none, {});
      assert.equal(denial.code, 7);
      assert.match(denial.message, new RegExp(org));
      assert.deepEqual(await sendHead(method, at, again), denial);
      assert.deepEqual(await sendHead(method, at, elsewhere), denial);
      assert.deepEqual(await sendRest(method, at, none, "[".repeat(1_000)), denial);
      const entries = await audited(none);
      assert.equal(entries.length, 1);
      assert.equal(entries[0][1].uid, org);
      assert.deepEqual(await audited(again), entries);
    });
  }

  test("a path without a valid scope is reported as such", async () => {
    const member = await world.member();
    const missing = await sendRest("POST", "/iam/v2beta1/roles", member, {});
    assert.deepEqual(await sendHead("POST", "/iam/v2beta1/roles", member), missing);
    const malformed = await sendRest("POST", "/iam/v2beta1/roles/x", member, {});
    assert.equal(malformed.code, 3);
    assert.deepEqual(await sendHead("POST", "/iam/v2beta1/roles/x", member), malformed);
  });

  test("what only the operator may do is denied from the headers", async () => {
    const member = await world.member({ [org]: "owner" });
    const path = "/installation/v2beta1/signingKeys:rotate";
    const denial = await sendRest("POST", path, member, {});
    assert.equal(denial.code, 7);
    assert.deepEqual(await sendHead("POST", path, member), denial);
  });

  test("a scope in the body is all that is read of it", async () => {
    const [none, again] = [await world.member(), await world.member()];
    const path = "/iam/v2beta1/roleBindings:batchCreate";
    const denial = await sendRest("POST", path, none, { parent: org, requests: [{}] });
    assert.equal(denial.code, 7);
    const odd = `{"requests": 1, "parent": "${org}", "x": [${"{},".repeat(50_000)}{}]}`;
    assert.deepEqual(await sendRest("POST", path, again, odd), denial);
    assert.deepEqual(await audited(again), await audited(none));
    const elsewhere = await world.member({ [other]: "owner" });
    assert.deepEqual(await sendRest("POST", path, elsewhere, { parent: org }), denial);
    const cut = await sendRest("POST", path, none, `{"parent": "${org}"`);
    assert.equal(cut.code, 3);
    const missing = await sendRest("POST", path, none, { requests: [] });
    assert.equal(missing.code, 3);
  });

  for (const [path, schema, request] of [
    [CREATE, CreateRoleRequestSchema, () => ({ parent: org, role: { name: "x" } })],
    [BATCH, BatchCreateRoleBindingsRequestSchema, () => ({ parent: org, requests: [{}] })],
  ] as const) {
    test(`${path} is denied before its message is decoded`, async () => {
      const [none, again] = [await world.member(), await world.member()];
      const bytes = toBinary(schema, create(schema as never, request() as never));
      const denial = await sendGrpc(path, none, bytes);
      assert.equal(denial.code, 7);
      assert.match(denial.message, new RegExp(org));
      // Field 2 of both is a message; its first field is text in one, and unknown in the other.
      const broken = Buffer.concat([
        bytes,
        Buffer.from([0x12, NOT_TEXT.length]),
        NOT_TEXT,
        Buffer.alloc(100_000, Buffer.from([0x78, 1])),
      ]);
      assert.deepEqual(await sendGrpc(path, again, broken), denial);
      assert.deepEqual(await audited(again), await audited(none));
      const truncated = await sendGrpc(path, none, bytes.subarray(0, 20));
      assert.equal(truncated.code, 3);
    });
  }

  test("a granted right counts for the next request", async () => {
    const member = await world.member();
    const path = `/iam/v2beta1/roles/${org}`;
    const role = { name: "first", capabilities: ["groups.list"] };
    assert.equal((await sendRest("POST", path, member, role)).code, 7);
    await world.bind(org, member.uid, "owner");
    const { status } = await new Http(world.server.url, member.token).post(path, role);
    assert.equal(status, 200);
  });

  test("bodies are bounded; those with documents are larger", async () => {
    const { http } = world;
    const sized = (bytes: number) => `{"name":"sized"${" ".repeat(bytes - 16)}}`;
    assert.equal((await http.post(`/iam/v2beta1/groups/${org}`, sized(256 * 1024))).status, 200);
    const large = await http.post(`/iam/v2beta1/groups/${org}`, sized(256 * 1024 + 1));
    assert.deepEqual([large.status, large.body.code], [413, 8]);
    assert.match(large.body.message, /larger than 262144 bytes/);
    const path = `/vulnerabilities/v2beta1/advisories/${org}:import`;
    assert.equal((await http.post(path, sized(4 * 1024 * 1024))).status, 200);
    assert.equal((await http.post(path, sized(4 * 1024 * 1024 + 1))).status, 413);
    const repo = await http.post(`/registry/v2beta1/repos/${org}`, { name: "r" });
    const readme = { content: "x".repeat(1024 * 1024) };
    const stored = await http.patch(`/registry/v2beta1/repos/${repo.body.uid}/readme`, readme);
    assert.equal(stored.status, 200);
    const operator = { uid: "", token: await world.server.token() };
    const message = (bytes: number) => Buffer.alloc(bytes, Buffer.from([0x78, 1]));
    assert.equal((await sendGrpc(CREATE, operator, message(256 * 1024 + 2))).code, 8);
    assert.equal((await sendGrpc(IMPORT, operator, message(256 * 1024 + 2))).code, 3);
  });
});
