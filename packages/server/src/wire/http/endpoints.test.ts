import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import type { HttpEndpoint } from "../endpoint.ts";
import { open } from "../testing/open.ts";
import { Endpoints } from "./endpoints.ts";

const handle: HttpEndpoint["handle"] = async ({ path }) => ({
  status: 200,
  headers: {},
  body: path,
});
const at = (path: string, method = "GET"): HttpEndpoint => ({ method, path, handle });
const below = (path: string, method = "GET"): HttpEndpoint => ({
  ...at(path, method),
  prefix: true,
});

const pathOf = (endpoints: Endpoints, path: string) => endpoints.find(path)?.get("GET")?.path;

test("the exact path comes first, then the longest prefix", () => {
  const endpoints = new Endpoints([below("/a/"), below("/a/b/"), at("/a/b/c"), at("/a")], []);
  assert.equal(pathOf(endpoints, "/a"), "/a");
  assert.equal(pathOf(endpoints, "/a/"), "/a/");
  assert.equal(pathOf(endpoints, "/a/x/y"), "/a/");
  assert.equal(pathOf(endpoints, "/a/b/x"), "/a/b/");
  assert.equal(pathOf(endpoints, "/a/b/c"), "/a/b/c");
  assert.equal(pathOf(endpoints, "/a/bc"), "/a/");
  assert.equal(endpoints.find("/b"), undefined);
});

test("a path and a method have one endpoint", () => {
  assert.throws(() => new Endpoints([below("/a/"), below("/a/")], []), /two endpoints handle GET/);
  const both = new Endpoints([below("/a/"), below("/a/", "POST")], []);
  assert.deepEqual([...(both.find("/a/x")?.keys() ?? [])], ["GET", "POST"]);
});

test("a prefix that would shadow a route is rejected", () => {
  const templates = ["/iam/v2beta1/groups", "/iam/v2beta1/groups/{uid=**}"];
  for (const path of ["/", "/iam/", "/iam/v2/", "/iam/v2beta1/groups/", "/iam/v2/groups/x/"])
    assert.throws(() => new Endpoints([below(path)], templates), /would shadow/, path);
  for (const path of ["/scim/", "/ia/", "/iam/v3/", "/iam/v2beta1/groupsy/"])
    assert.ok(new Endpoints([below(path)], templates));
});

test("a prefix matches all paths below it, for its HTTP methods only, and is one method in logs", async (t) => {
  const answers = { GetGroup: () => create(GroupSchema) };
  const port = await open(t, answers, { endpoints: [below("/tree/"), at("/tree/exact")] });
  const get = async (path: string) => (await fetch(`${port.url}${path}`)).text();
  assert.equal(await get("/tree/a/b%2Fc?x=1"), "/tree/a/b%2Fc");
  assert.equal(await get("/tree/exact"), "/tree/exact");
  assert.match(await get("/tree"), /no route matches this path/);
  assert.match(await get("/iam/v2/groups/x"), /^\{"uid":/);
  const rejected = await fetch(`${port.url}/tree/a`, { method: "DELETE" });
  assert.deepEqual([rejected.status, rejected.headers.get("allow")], [405, "GET"]);
  assert.deepEqual(port.events.map(({ method }) => method).slice(0, 2), ["/tree/", "/tree/exact"]);
});
