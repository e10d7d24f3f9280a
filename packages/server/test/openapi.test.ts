/** The API description: complete, described, with examples that a server really answers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import committed from "@wharf/contract/openapi.json" with { type: "json" };
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { EXAMPLES } from "../../../scripts/openapi/examples.ts";
import { openConfiguredPort } from "../src/app/port.ts";
import { startServer } from "../src/app/server.ts";
import type { HttpEndpoint } from "../src/wire/endpoint.ts";
import { type Route, routesOf } from "../src/wire/rest/route.ts";
import { Http } from "./support/client/http.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { World } from "./support/world/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a JSON document.
type Json = any;

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly body: Json;
}

function operationsOf(document: Json): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, body]) => ({ path, method, body })),
  );
}

/** A path template without the names of its variables, as routes and the document share it. */
function shapeOf(method: string, template: string): string {
  return `${method.toUpperCase()} ${template.replace(/\{[^}]*\}/g, "{}")}`;
}

describe("the API description of a server", () => {
  let document: Json;
  let routes: readonly Route[];
  let endpoints: readonly HttpEndpoint[];
  let server: Awaited<ReturnType<typeof startServer>>;
  after(() => server.stop());

  before(async () => {
    const flags = ["--listen", "127.0.0.1:0", "--data", scratchFolder("wharf-openapi-")];
    server = await startServer(await testSettings(flags), {
      logOutput: { write: () => {}, flushSync() {} },
      openPort(settings, served) {
        routes = routesOf(served.methods).filter(({ method }) => method.served);
        endpoints = served.endpoints;
        return openConfiguredPort(settings, served);
      },
    });
    document = await (await fetch(`${server.url}/openapi.json`)).json();
  });

  test("is the committed one, with the address of the installation", () => {
    const servers = [{ url: server.url, description: "This installation" }];
    assert.deepEqual(document, { ...committed, servers });
  });

  test("has every route and endpoint that the server answers, and no other", () => {
    const described = new Set(operationsOf(document).map((o) => shapeOf(o.method, o.path)));
    const answered = routes.map((route) => shapeOf(route.httpMethod, route.template));
    for (const shape of answered) assert.ok(described.has(shape), shape);
    const paths = operationsOf(document);
    const others = endpoints.filter(({ isPage = false }) => !isPage);
    for (const { method, path, prefix = false } of others) {
      const isDescribed = paths.some(
        (o) =>
          o.method.toUpperCase() === method && (prefix ? o.path.startsWith(path) : o.path === path),
      );
      assert.ok(isDescribed, `${method} ${path}`);
    }
    const organizations = ["POST /iam/v2beta1/groups", "POST /iam/v1/groups"];
    const own = ["GET /openapi.json"];
    const unknown = paths.filter(({ method, path }) => {
      const shape = shapeOf(method, path);
      if (answered.includes(shape) || organizations.includes(shape) || own.includes(shape))
        return false;
      return !endpoints.some(
        (one) =>
          one.method === method.toUpperCase() &&
          (one.prefix ? path.startsWith(one.path) : path === one.path),
      );
    });
    assert.deepEqual(unknown, []);
    for (const shape of organizations) assert.ok(described.has(shape), shape);
  });

  test("describes every operation, parameter, field and tag", () => {
    const missing: string[] = [];
    const check = (text: unknown, what: string) => {
      if (typeof text !== "string" || text.trim() === "") missing.push(what);
    };
    for (const { path, method, body } of operationsOf(document)) {
      check(body.summary, `summary of ${method} ${path}`);
      // Which capabilities it needs does not say what it does.
      check(body.description.replace(/(^|\n)Needs .*$/s, ""), `description of ${method} ${path}`);
      for (const one of body.parameters ?? [])
        if (one.$ref === undefined) check(one.description, `${one.name} of ${method} ${path}`);
    }
    const walk = (schema: Json, name: string) => {
      for (const [field, one] of Object.entries<Json>(schema.properties ?? {})) {
        check(one.description, `${name}.${field}`);
        walk(one, `${name}.${field}`);
        if (one.items) walk(one.items, `${name}.${field}`);
      }
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name);
    for (const { name, description } of document.tags) check(description, `tag ${name}`);
    assert.deepEqual(missing, []);
  });

  test("has no two paths that differ only in the names of variables, and unique operation ids", () => {
    const shapes = Object.keys(document.paths).map((path) => shapeOf("", path));
    assert.equal(new Set(shapes).size, shapes.length);
    const ids = operationsOf(document).map(({ body }) => body.operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("has examples that its schemas accept", () => {
    const validate = validatorOf(document);
    let count = 0;
    const check = (media: Json, what: string) => {
      for (const { schema, example, examples = {} } of Object.values<Json>(media ?? {})) {
        const all = [...(example === undefined ? [] : [example])];
        for (const one of Object.values<Json>(examples)) all.push(one.value);
        for (const one of all) {
          count++;
          validate(schema, one, what);
        }
      }
    };
    for (const { path, method, body } of operationsOf(document)) {
      check(body.requestBody?.content, `request of ${method} ${path}`);
      for (const [status, response] of Object.entries<Json>(body.responses))
        check(response.content, `${status} of ${method} ${path}`);
    }
    for (const [name, response] of Object.entries<Json>(document.components.responses))
      check(response.content, name);
    assert.ok(count > 30);
  });
});

describe("the examples of the API description", () => {
  let world: World;
  let http: Http;
  let document: Json;
  after(() => world.stop());
  before(async () => {
    world = await World.start();
    http = new Http(world.server.url, world.operator().token);
    document = await (await fetch(`${world.server.url}/openapi.json`)).json();
  });

  test("are what the server answers", async () => {
    const operations = operationsOf(document);
    const validate = validatorOf(document);
    /** Sends the request of an example, and compares everything in the response that no server chooses. */
    const replay = async (operationId: string, uid = "", over?: object): Promise<Json> => {
      const operation = operations.find(({ body }) => body.operationId === operationId);
      assert.ok(operation, operationId);
      const { path, method } = operation;
      const { request, response } = EXAMPLES[operationId] as Json;
      const sent = request && { ...request, ...over };
      const target = path.replace(/\{\w+\}/, uid);
      const answer = await http.send(method.toUpperCase(), target, sent);
      assert.equal(answer.status, 200, `${operationId}: ${JSON.stringify(answer.body)}`);
      assert.deepEqual(chosen(answer.body), chosen(response), operationId);
      const { schema } = operation.body.responses["200"].content["application/json"];
      validate(schema, answer.body, operationId);
      return answer.body;
    };
    const organization = await replay("GroupsService_CreateGroup_Organization");
    const group = await replay("GroupsService_CreateGroup", organization.uid);
    await replay("GroupsService_GetGroup", group.uid);
    const identity = await replay("IdentitiesService_CreateIdentity", group.uid);
    await replay("IdentitiesService_GetIdentity", identity.uid);
    const role = await replay("RolesService_CreateRole", organization.uid);
    await replay("RolesService_GetRole", role.uid);
    const uids = { identityUid: identity.uid, roleUid: role.uid };
    const binding = await replay("RoleBindingsService_CreateRoleBinding", group.uid, uids);
    await replay("RoleBindingsService_GetRoleBinding", binding.uid);
    await replay("RoleBindingsService_DeleteRoleBinding", binding.uid);
    const repo = await replay("ReposService_CreateRepo", group.uid);
    await replay("ReposService_GetRepo", repo.uid);
    await replay("GroupsService_UpdateGroup", group.uid);
    await replay("PingService_Ping");
  });
});

/** A response without uids and times. */
function chosen(response: Json): Json {
  return JSON.parse(
    JSON.stringify(response).replace(/[0-9a-f]{40}(\/[0-9a-f]{16})*|20\d\d-[^"]*Z/g, ""),
  );
}

type Validate = (schema: Json, value: unknown, what: string) => void;

function validatorOf(document: Json): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const format of ["int32", "int64", "double", "float"]) ajv.addFormat(format, true);
  ajv.addSchema({ $id: "api", components: document.components });
  return (schema, value, what) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
    assert.ok(ajv.validate(absolute, value), `${what}: ${ajv.errorsText()}`);
  };
}
