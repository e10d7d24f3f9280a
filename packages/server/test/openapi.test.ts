/** The API description: complete, described, with examples that a server really answers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import committed from "@wharf/contract/openapi.json" with { type: "json" };
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { NEVER_SUCCEED } from "../../../scripts/openapi/examples.ts";
import { openConfiguredPort } from "../src/app/port.ts";
import { startServer } from "../src/app/server.ts";
import type { HttpEndpoint } from "../src/wire/endpoint.ts";
import { type Route, routesOf } from "../src/wire/rest/route.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { testSettings } from "./support/server/test-settings.ts";

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

/** Whether there is an example, unless all media types are pages or bytes: neither has a form that JSON could show. */
function hasExample(content: Json): boolean {
  return Object.entries<Json>(content).some(
    ([type, { schema, example }]) =>
      example !== undefined || /html|zip/.test(type) || schema.format === "binary",
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

  test("describes every operation, parameter, header, schema, field and tag", () => {
    const missing: string[] = [];
    const check = (text: unknown, what: string) => {
      if (typeof text !== "string" || text.trim() === "") missing.push(what);
    };
    const walk = (schema: Json, name: string) => {
      if (typeof schema !== "object") return;
      for (const [field, one] of Object.entries<Json>(schema.properties ?? {})) {
        check(one.description, `${name}.${field}`);
        walk(one, `${name}.${field}`);
      }
      for (const inner of [schema.items, schema.additionalProperties]) walk(inner, name);
    };
    const walkContent = ({ content = {}, headers = {} }: Json, name: string) => {
      for (const { schema } of Object.values<Json>(content)) walk(schema, name);
      for (const [header, one] of Object.entries<Json>(headers))
        check(one.description, `${header} of ${name}`);
    };
    for (const { path, method, body } of operationsOf(document)) {
      const name = `${method} ${path}`;
      check(body.summary, `summary of ${name}`);
      // The required capabilities do not say what the method does.
      check(body.description.replace(/(^|\n)Needs .*$/s, ""), `description of ${name}`);
      for (const one of body.parameters ?? [])
        if (one.$ref === undefined) check(one.description, `${one.name} of ${name}`);
      walkContent(body.requestBody ?? {}, `body of ${name}`);
      for (const [status, one] of Object.entries<Json>(body.responses)) {
        if (one.$ref === undefined) check(one.description, `${status} of ${name}`);
        walkContent(one, `${status} of ${name}`);
      }
    }
    const { schemas, parameters, responses } = document.components;
    for (const [name, one] of Object.entries<Json>({ ...schemas, ...parameters, ...responses }))
      check(one.description, name);
    for (const [name, schema] of Object.entries(schemas)) walk(schema, name);
    for (const { name, description } of document.tags) check(description, `tag ${name}`);
    assert.deepEqual(missing, []);
  });

  test("has no two paths that differ only in the names of variables, and unique operation ids", () => {
    const shapes = Object.keys(document.paths).map((path) => shapeOf("", path));
    assert.equal(new Set(shapes).size, shapes.length);
    const ids = operationsOf(document).map(({ body }) => body.operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("has an example of every request body and every body of a success", () => {
    const missing = operationsOf(document).flatMap(({ body }) => {
      const { operationId, requestBody, responses } = body;
      if (operationId in NEVER_SUCCEED) return [];
      const successes = Object.entries<Json>(responses).filter(([status]) => status < "300");
      const bodies = [["request", requestBody], ...successes] as [string, Json][];
      return bodies
        .filter(([, one]) => one?.content && !hasExample(one.content))
        .map(([which]) => `${operationId} ${which}`);
    });
    // The document cannot be its own example.
    assert.deepEqual(missing, ["openapi 200"]);
  });

  test("has examples that its schemas accept", () => {
    const validate = validatorOf(document);
    let count = 0;
    const check = (media: Json, what: string) => {
      for (const { schema, example, examples = {} } of Object.values<Json>(media ?? {})) {
        const all = [...(example === undefined ? [] : [example])];
        for (const one of Object.values<Json>(examples)) if (one.value) all.push(one.value);
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
    for (const [reason, { value }] of Object.entries<Json>(document.components.examples))
      validate({ $ref: "#/components/schemas/Status" }, value, reason);
    assert.ok(count > 370, `${count}`);
  });
});

type Validate = (schema: Json, value: unknown, what: string) => void;

function validatorOf(document: Json): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
  addFormats.default(ajv);
  for (const format of ["int32", "int64", "double", "float"]) ajv.addFormat(format, true);
  ajv.addSchema({ $id: "api", components: document.components });
  return (schema, value, what) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
    assert.ok(ajv.validate(absolute, value), `${what}: ${ajv.errorsText()}`);
  };
}
