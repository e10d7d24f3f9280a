import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentOf, nameOf, type OpenApi, readDocument, search } from "./document.ts";
import { pretty, requestOf } from "./request.ts";
import { snippetsOf } from "./snippets.ts";

const UID = "a".repeat(40);

const DOCUMENT: OpenApi = {
  info: { title: "API", version: "2" },
  tags: [{ name: "Roles" }, { name: "Groups" }],
  paths: {
    "/iam/v2beta1/groups/{uid}": {
      get: {
        operationId: "Groups_Get",
        summary: "Reads a group",
        tags: ["Groups"],
        security: [{ bearer: [] }],
        parameters: [
          { $ref: "#/components/parameters/uid", name: "", in: "" },
          { name: "ids", in: "query", schema: { type: "array" } },
          { name: "text", in: "query" },
          { name: "x-trace", in: "header" },
        ],
        responses: { "200": { $ref: "#/components/responses/Group" } },
      },
    },
    "/iam/v1/roles": {
      post: {
        operationId: "V1_Roles_Create",
        summary: "Creates a role",
        tags: ["Roles"],
        requestBody: { content: { "application/json": { example: { name: "it's" } } } },
      },
    },
  },
  components: {
    schemas: { Group: {}, Role: {}, "wharf.Group": {} },
    parameters: { uid: { name: "uid", in: "path", required: true } },
    responses: { Group: { description: "The group" } },
  },
};

const reference = readDocument(DOCUMENT);
const [get, create] = reference.operations;
assert.ok(get && create);

describe("the document", () => {
  test("has operations with the parameters and responses that they refer to", () => {
    assert.equal(get.verb, "GET");
    assert.deepEqual(
      get.parameters.map(({ name }) => name),
      ["uid", "ids", "text", "x-trace"],
    );
    assert.equal(get.responses["200"]?.description, "The group");
    assert.deepEqual(create.parameters, []);
  });

  test("has groups in the order of its tags", () => {
    assert.deepEqual([...reference.groups.keys()], ["Roles", "Groups"]);
  });

  test("is searched for all words, operations of version 1 last, then schemas", () => {
    const names = (words: string) =>
      search(reference, words).map((one) => (typeof one === "string" ? one : one.operationId));
    assert.deepEqual(names("v"), ["Groups_Get", "V1_Roles_Create"].concat(names("v").slice(2)));
    assert.deepEqual(names("GROUP"), ["Groups_Get", "Group", "wharf.Group"]);
    assert.deepEqual(names("group  reads"), ["Groups_Get"]);
    assert.deepEqual(names("group role"), []);
    assert.equal(names("").length, 5);
  });

  test("has names after the last slash of a reference", () => {
    assert.equal(nameOf("#/components/schemas/Group"), "Group");
    assert.equal(nameOf(undefined), "");
  });

  test("prefers JSON among contents", () => {
    assert.equal(contentOf({ "text/plain": {}, "application/json": {} })?.type, "application/json");
    assert.equal(contentOf({ "text/plain": { example: 1 } })?.example, 1);
    assert.equal(contentOf({}), undefined);
    assert.equal(contentOf(undefined), undefined);
  });
});

describe("a request of the reference", () => {
  test("has path, query, header and token", () => {
    const { url, headers, body } = requestOf(
      get,
      {
        "path:uid": ` ${UID}/b `,
        "query:ids": "a, b\nc,",
        "query:text": "x&y",
        "header:x-trace": "1",
      },
      "token",
    );
    assert.equal(url, `/iam/v2beta1/groups/${UID}/b?ids=a&ids=b&ids=c&text=x%26y`);
    assert.equal(headers.get("authorization"), "Bearer token");
    assert.equal(headers.get("x-trace"), "1");
    assert.deepEqual([headers.has("content-type"), body], [false, undefined]);
  });

  test("cannot leave its path", () => {
    const { url } = requestOf(get, { "path:uid": "x?a=b#c\\..%2f" }, undefined);
    assert.equal(url, "/iam/v2beta1/groups/x%3Fa%3Db%23c%5C..%252f");
    assert.equal(
      requestOf(get, { "path:uid": "$&$1" }, undefined).url,
      "/iam/v2beta1/groups/%24%26%241",
    );
  });

  test("leaves out empty parameters, and has no token unless there is one", () => {
    const { url, headers } = requestOf(get, { "path:uid": UID, "query:text": "  " }, undefined);
    assert.equal(url, `/iam/v2beta1/groups/${UID}`);
    assert.deepEqual([...headers], []);
  });

  test("has a body as it was entered", () => {
    const { body, headers } = requestOf(create, { body: " {} " }, undefined);
    assert.deepEqual([body, headers.get("content-type")], [" {} ", "application/json"]);
  });

  test("shows JSON indented, and anything else as it is", () => {
    assert.equal(pretty('{"a":1}'), '{\n  "a": 1\n}');
    assert.equal(pretty("data: {"), "data: {");
  });
});

describe("snippets of the reference", () => {
  test("fill in the path, and use the token where one is needed", () => {
    const { curl, cli } = snippetsOf(get, "https://w.example");
    assert.match(curl, /^curl 'https:\/\/w\.example\/iam\/v2beta1\/groups\/UID'/);
    assert.match(curl, /Authorization: Bearer \$\(wharf auth token\)/);
    assert.equal(cli, "wharf api GET /iam/v2beta1/groups/UID");
  });

  test("quote the example for a shell", () => {
    const { curl, cli } = snippetsOf(create);
    assert.ok(curl.includes(`-d '{"name":"it'\\''s"}'`), curl);
    assert.ok(!curl.includes("Authorization"));
    assert.match(cli, /--input - <<'END'\n\{\n {2}"name": "it's"\n\}\nEND$/);
  });

  test("have a call of the client for operations that it has", () => {
    assert.match(
      snippetsOf(get).typescript ?? "",
      /wharf\.groups\.get\(\{\n {2}"uid": "UID"\n\}\)/,
    );
    assert.equal(snippetsOf({ ...create, path: "/nothing" }).typescript, undefined);
  });
});
