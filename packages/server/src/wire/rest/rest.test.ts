import assert from "node:assert/strict";
import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import type {
  CreateGroupRequest,
  CreateRoleRequest,
  ListGroupsRequest,
  UpdateGroupRequest,
} from "@wharf/contract";
import { Capability, GroupSchema, ListGroupsResponseSchema, RoleSchema } from "@wharf/contract";
import { notFound, unauthenticated } from "../../lib/errors.ts";
import { open } from "../testing/open.ts";

const LIST = { ListGroups: () => create(ListGroupsResponseSchema) };
const JSON_TYPE = { "content-type": "application/json" };

async function send(url: string, method: string, body?: unknown, headers = JSON_TYPE) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
  });
  return { status: answer.status, headers: answer.headers, json: JSON.parse(await answer.text()) };
}

function violation(json: { details: { fieldViolations?: { field: string }[] }[] }) {
  return json.details[1]?.fieldViolations?.[0]?.field;
}

test("a GET has the UID of its path and returns JSON", async (t) => {
  const port = await open(t, {
    GetGroup: (request: { uid: string }) => create(GroupSchema, { uid: request.uid }),
  });
  const answer = await fetch(`${port.url}/iam/v2/groups/a%2Fb/c/`, {
    headers: { "x-request-id": "mine-1" },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.equal(answer.headers.get("x-request-id"), "mine-1");
  assert.equal(((await answer.json()) as { uid: string }).uid, "a/b/c");
  const [event] = port.events;
  assert.equal(event?.method, "wharf.iam.v2beta1.GroupsService/GetGroup");
  assert.equal(event?.protocol, "rest");
  assert.equal(event?.code, 0);
});

test("a query sets nested, repeated and plain fields by either name", async (t) => {
  const port = await open(t, LIST);
  const query =
    "uidp.descendants_of=a&uidp.inRoot=true&uidp.ids=x&uidp.ids=y%2Fz&pageSize=10&order_by=name+desc&nope=1&&";
  assert.equal((await fetch(`${port.url}/iam/v2beta1/groups?${query}`)).status, 200);
  const request = port.methods.calls[0]?.request as ListGroupsRequest;
  assert.equal(request.uidp?.descendantsOf, "a");
  assert.equal(request.uidp?.inRoot, true);
  assert.deepEqual(request.uidp?.ids, ["x", "y/z"]);
  assert.equal(request.pageSize, 10);
  assert.equal(request.orderBy, "name desc");
});

for (const [query, field] of [
  ["page_size=ten", "page_size"],
  ["page_size=2147483648", "page_size"],
  ["page_size=1.5", "page_size"],
  ["page_size=", "page_size"],
  ["pageSize=1&page_size=2", "page_size"],
  ["uidp.in_root=maybe", "uidp.in_root"],
  ["name=%zz", "name"],
  ["name=%ff", "name"],
  ["%zz=1", "%zz"],
]) {
  test(`the query ${query} is rejected, naming ${field}`, async (t) => {
    const port = await open(t, LIST);
    const { status, json } = await send(`${port.url}/iam/v2beta1/groups?${query}`, "GET");
    assert.equal(status, 400);
    assert.equal(json.code, 3);
    assert.equal(violation(json), field);
  });
}

test("a query cannot set fields of the path and the body", async (t) => {
  const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
  const url = `${port.url}/iam/v2beta1/groups/p?parent=q&group.name=sly`;
  const { json } = await send(url, "POST", { name: "dev", unknown: { deep: 1 } });
  assert.equal(json.name, "dev");
  const request = port.methods.calls[0]?.request as CreateGroupRequest;
  assert.equal(request.parent, "p");
});

test("an empty body is an empty message and an empty parent is no parent", async (t) => {
  const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
  const { status } = await send(`${port.url}/iam/v2beta1/groups/`, "POST");
  assert.equal(status, 200);
  const request = port.methods.calls[0]?.request as CreateGroupRequest;
  assert.equal(request.parent, "");
  assert.equal(request.group?.name, "");
});

for (const [body, field] of [
  ['{"name":', ""],
  ["[]", ""],
  ['"text"', ""],
  ['{"name":5}', "name"],
  ['{"resource_limits":{"repos":"many"}}', "resourceLimits.repos"],
  ['{"createTime":"yesterday"}', "createTime"],
  ['{"kind":"ORG_KIND_NONE"}', "kind"],
]) {
  test(`the body ${body} is rejected, naming "${field}"`, async (t) => {
    const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
    const { status, json } = await send(`${port.url}/iam/v2beta1/groups`, "POST", body);
    assert.equal(status, 400);
    assert.equal(violation(json), field);
  });
}

test("prototype keys in a body are data or nothing", async (t) => {
  const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
  const body = '{"name":"a","__proto__":{"polluted":1},"resourceLimits":{"__proto__":7}}';
  const { json } = await send(`${port.url}/iam/v2beta1/groups`, "POST", body);
  assert.equal(json.name, "a");
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test("other content types are rejected; a charset is ignored", async (t) => {
  const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
  const url = `${port.url}/iam/v2beta1/groups`;
  const form = await send(url, "POST", "{}", { "content-type": "text/plain" });
  assert.equal(form.status, 415);
  assert.equal(form.json.code, 3);
  const charset = { "content-type": "application/json; charset=utf-8" };
  assert.equal((await send(url, "POST", "{}", charset)).status, 200);
});

test("a body is JSON even if curl calls it a form", async (t) => {
  const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const { status, json } = await send(
    `${port.url}/iam/v2beta1/groups`,
    "POST",
    '{"name":"dev"}',
    form,
  );
  assert.deepEqual([status, json.name], [200, "dev"]);
});

test("capabilities may be given by name, number or dotted name", async (t) => {
  const port = await open(t, { CreateRole: () => create(RoleSchema) });
  const capabilities = ["CAP_IAM_GROUPS_LIST", 101, "groups.delete"];
  await send(`${port.url}/iam/v2beta1/roles/p`, "POST", { name: "r", capabilities });
  const request = port.methods.calls[0]?.request as CreateRoleRequest;
  assert.deepEqual(request.role?.capabilities, [
    Capability.CAP_IAM_GROUPS_LIST,
    Capability.CAP_IAM_GROUPS_CREATE,
    Capability.CAP_IAM_GROUPS_DELETE,
  ]);
});

for (const [query, body, paths] of [
  ["", { name: "x", description: null }, ["name", "description"]],
  ["", { uid: "other", resourceLimits: { a: 1 } }, ["resource_limits"]],
  ["?updateMask=", { createTime: "2026-01-01T00:00:00Z" }, ["create_time"]],
  ["?updateMask=name,kind", { name: "x", unknown: 1 }, ["name", "kind"]],
  ["?update_mask=createTime", {}, ["createTime"]],
  ["", {}, []],
] as const) {
  test(`patch${query} with ${JSON.stringify(body)} changes [${paths}]`, async (t) => {
    const port = await open(t, { UpdateGroup: (r: UpdateGroupRequest) => r.group });
    const { status } = await send(`${port.url}/iam/v2beta1/groups/a/b${query}`, "PATCH", body);
    assert.equal(status, 200);
    const request = port.methods.calls[0]?.request as UpdateGroupRequest;
    assert.equal(request.group?.uid, "a/b");
    assert.deepEqual(request.updateMask?.paths, paths);
  });
}

test("a PATCH without a mask must have known keys only", async (t) => {
  const port = await open(t, { UpdateGroup: (r: UpdateGroupRequest) => r.group });
  const { json } = await send(`${port.url}/iam/v2beta1/groups/a`, "PATCH", { nam: "x" });
  assert.equal(violation(json), "nam");
});

test("unknown paths, other methods and unserved methods have structured errors", async (t) => {
  const port = await open(t, LIST);
  const nowhere = await send(`${port.url}/iam/v2beta1/nothing`, "GET");
  assert.deepEqual([nowhere.status, nowhere.json.code], [404, 5]);
  assert.equal(nowhere.json.details[0].reason, "NOT_FOUND");
  const put = await send(`${port.url}/iam/v2beta1/groups`, "PUT");
  assert.equal(put.status, 405);
  assert.equal(put.headers.get("allow"), "DELETE, GET, HEAD, PATCH, POST");
  const unserved = await send(`${port.url}/iam/v2beta1/roles`, "GET");
  assert.deepEqual([unserved.status, unserved.json.code], [501, 12]);
  const encoding = await send(`${port.url}/iam/v2beta1/groups/%zz`, "GET");
  assert.deepEqual([encoding.status, encoding.json.code], [400, 3]);
  assert.deepEqual(
    port.events.map((event) => event.method),
    ["-", "-", "wharf.iam.v2beta1.RolesService/ListRoles", "-"],
  );
});

test("errors of a method travel with their status and details", async (t) => {
  const port = await open(t, {
    GetGroup: ({ uid }: { uid: string }) => {
      if (uid === "bug") throw new TypeError("secret detail");
      throw uid === "who" ? unauthenticated("the token has expired") : notFound("Group", uid);
    },
  });
  const missing = await send(`${port.url}/iam/v2beta1/groups/x`, "GET");
  assert.equal(missing.status, 404);
  assert.equal(missing.json.details[1].resourceType, "iam.wharf.internal/Group");
  const who = await send(`${port.url}/iam/v2beta1/groups/who`, "GET");
  assert.equal(who.headers.get("www-authenticate"), "Bearer");
  const headers = { ...JSON_TYPE, authorization: "Bearer x" };
  const token = await send(`${port.url}/iam/v2beta1/groups/who`, "GET", undefined, headers);
  assert.equal(token.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
  const bug = await send(`${port.url}/iam/v2beta1/groups/bug`, "GET");
  assert.equal(bug.status, 500);
  assert.doesNotMatch(JSON.stringify(bug.json), /secret/);
});

test("HEAD is GET without a body", async (t) => {
  const port = await open(t, LIST);
  const answer = await fetch(`${port.url}/iam/v2beta1/groups`, { method: "HEAD" });
  assert.equal(answer.status, 200);
  assert.ok(Number(answer.headers.get("content-length")) > 10);
  assert.equal(await answer.text(), "");
});

test("large responses are compressed if accepted; compressed bodies are read", async (t) => {
  const description = "x".repeat(5000);
  const port = await open(t, {
    GetGroup: () => create(GroupSchema, { description }),
    CreateGroup: (r: CreateGroupRequest) => r.group,
  });
  const url = `${port.url}/iam/v2beta1/groups/a`;
  const packed = await fetch(url, { headers: { "accept-encoding": "gzip" } });
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.equal(((await packed.json()) as { description: string }).description, description);
  const plain = await fetch(url, { headers: { "accept-encoding": "gzip;q=0" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
  const body = gzipSync('{"name":"packed"}');
  const created = await fetch(url, { method: "POST", headers, body });
  assert.equal(((await created.json()) as { name: string }).name, "packed");
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  assert.equal((await fetch(url, { method: "POST", headers, body: bomb })).status, 413);
  assert.equal((await fetch(url, { method: "POST", headers, body: "{}" })).status, 400);
});

test("configured origins may read responses, others may not", async (t) => {
  const port = await open(t, LIST, { cors: { origins: ["https://console.example"] } });
  const url = `${port.url}/iam/v2beta1/groups`;
  const preflight = await fetch(url, {
    method: "OPTIONS",
    headers: { origin: "https://console.example", "access-control-request-method": "GET" },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization/);
  const ours = await fetch(url, { headers: { origin: "https://console.example" } });
  assert.equal(ours.headers.get("access-control-allow-origin"), "https://console.example");
  assert.match(
    ours.headers.get("access-control-expose-headers") ?? "",
    /grpc-status-details-bin, retry-after/,
  );
  assert.equal(ours.headers.get("vary"), "Origin");
  const other = await fetch(url, { headers: { origin: "https://evil.example" } });
  assert.equal(other.headers.get("access-control-allow-origin"), null);
});

test("REST works over HTTP/2 as well", async (t) => {
  const port = await open(t, { CreateGroup: (r: CreateGroupRequest) => r.group });
  const session = connect(port.url);
  t.after(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": "/iam/v2beta1/groups/p",
    ...JSON_TYPE,
    "accept-encoding": "gzip",
  });
  stream.end(JSON.stringify({ name: "two", description: "y".repeat(3000) }));
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  assert.equal(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).name, "two");
});

/** Sends a request that does not even say that its body is empty; returns the response. */
async function withoutBody(port: number, line: string): Promise<string> {
  const socket = connectTcp(port, "127.0.0.1");
  socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const heard = Buffer.concat(await socket.toArray()).toString();
  return heard.slice(heard.indexOf("\r\n\r\n") + 4);
}

test("endpoints match exact paths before any route", async (t) => {
  const handle = async (request: { body(limit: number): Promise<Buffer>; query: string }) => {
    const body = `${request.query} ${await request.body(10)}`;
    return { status: 201, headers: { "content-type": "text/plain" }, body };
  };
  const endpoints = [{ method: "POST", path: "/echo", handle }];
  const port = await open(t, {}, { endpoints });
  const answer = await fetch(`${port.url}/echo?a=b`, { method: "POST", body: "hi" });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("content-type"), "text/plain");
  assert.equal(await answer.text(), "a=b hi");
  assert.equal((await fetch(`${port.url}/echo`)).status, 405);
  assert.equal(await withoutBody(port.address.port, "POST /echo?c=d"), "c=d ");
  const large = await fetch(`${port.url}/echo`, { method: "POST", body: "x".repeat(11) });
  assert.equal(large.status, 413);
  assert.equal(port.events[0]?.method, "/echo");
});

test("a client that disconnects aborts its call", async (t) => {
  const started = Promise.withResolvers<AbortSignal>();
  const port = await open(t, {
    GetGroup: (_: unknown, { signal }) => {
      started.resolve(signal);
      return new Promise(() => {});
    },
  });
  const client = new AbortController();
  const answer = fetch(`${port.url}/iam/v2beta1/groups/a`, { signal: client.signal });
  const signal = await started.promise;
  client.abort();
  await assert.rejects(answer);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  assert.equal(port.events[0]?.code, 1);
});

test("a call that exceeds its deadline is answered and aborted", async (t) => {
  let seen: AbortSignal | undefined;
  const answers = {
    GetGroup: (_: unknown, { signal }: { signal: AbortSignal }) => {
      seen = signal;
      return new Promise(() => {});
    },
  };
  const port = await open(t, answers, { limits: { requestMs: 100 } });
  const { status, json } = await send(`${port.url}/iam/v2beta1/groups/a`, "GET");
  assert.deepEqual([status, json.code], [504, 4]);
  assert.equal(seen?.aborted, true);
});
