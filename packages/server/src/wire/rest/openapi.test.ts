import assert from "node:assert/strict";
import { test } from "node:test";
import document from "@wharf/contract/openapi.json" with { type: "json" };
import { open } from "../testing/open.ts";
import type { ApiDocument } from "./openapi.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; $ref?: string }[];
}

const paths = (document as ApiDocument).paths as unknown as Record<
  string,
  Record<string, Operation>
>;

function operations(): [path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation): [string, Operation] => [path, operation]),
  );
}

test("every reference leads somewhere", () => {
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] as string);
  assert.ok(references.length > 20);
  for (const reference of references) {
    let at: unknown = document;
    for (const part of reference.split("/")) at = (at as Record<string, unknown>)[part];
    assert.equal(typeof at, "object", reference);
  }
});

test("every variable of a path is a parameter, and no name is declared twice", () => {
  for (const [path, { parameters = [] }] of operations()) {
    const variables = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
    const declared = parameters.filter((p) => p.in === "path").map((p) => p.name);
    assert.deepEqual(declared, variables);
    const all = parameters.map((p) => p.$ref ?? `${p.in} ${p.name}`);
    assert.equal(new Set(all).size, all.length, path);
  }
});

test("operation ids are unique", () => {
  const ids = operations().map(([, operation]) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
});

test("lists have their filters and paging", () => {
  const names = paths["/iam/v2beta1/groups"]?.get?.parameters?.map((p) => p.name);
  for (const name of ["uidp.descendants_of", "uidp.ids", "name", "page_size", "order_by", "skip"]) {
    assert.ok(names?.includes(name), name);
  }
});

test("creates, and only they, have an idempotency key", () => {
  const keyed = operations().filter(([, { parameters = [] }]) =>
    parameters.some(({ $ref }) => $ref === "#/components/parameters/IdempotencyKey"),
  );
  const names = keyed.map(([, { operationId }]) => operationId);
  assert.ok(names.length >= 31);
  for (const name of names)
    assert.match(name, /_(Batch)?Create|_GenerateScim|_ImportAdvisories|_RestoreTag/);
});

test("only the operations that a server answers are served", async (t) => {
  const port = await open(t, { GetGroup: () => undefined });
  const { servers, paths } = (await (
    await fetch(`${port.url}/openapi.json`)
  ).json()) as ApiDocument;
  assert.deepEqual(servers, [{ url: "/", description: "This installation" }]);
  assert.deepEqual(
    Object.entries(paths).map(([path, item]) => [path, Object.keys(item)]),
    [
      ["/iam/v2beta1/groups/{uid}", ["get"]],
      ["/openapi.json", ["get"]],
    ],
  );
});

test("the document is served with an etag that saves sending it again", async (t) => {
  const port = await open(t, {});
  const first = await fetch(`${port.url}/openapi.json`);
  assert.equal(((await first.json()) as { openapi: string }).openapi, "3.1.0");
  assert.equal(first.headers.get("content-encoding"), "gzip");
  const etag = first.headers.get("etag") ?? "";
  for (const header of [etag, `"other", ${etag}`, etag.replace("-gzip", "")]) {
    const headers = { "if-none-match": header };
    assert.equal((await fetch(`${port.url}/openapi.json`, { headers })).status, 304, header);
  }
});
