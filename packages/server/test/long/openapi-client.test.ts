/** The API description in the hands of others: a linter, and a client that is generated from it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { World } from "../support/world/world.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../../..");

/** A user's program: the compiler checks it against the generated types. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

type Group = components["schemas"]["Group"];
const [baseUrl, token] = process.argv.slice(2);
const headers = { authorization: \`Bearer \${token}\` };
const client = createClient<paths>({ baseUrl, headers });

function ok<T>({ data, error }: { data?: T; error?: components["schemas"]["Status"] }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const organization = ok(await client.POST("/iam/v2beta1/groups", { body: { name: "acme" } }));
const created: Group[] = [];
for (const name of ["a", "b", "c", "d", "e"]) {
  const params = { path: { uid: organization.uid ?? "" } };
  created.push(ok(await client.POST("/iam/v2beta1/groups/{uid}", { params, body: { name } })));
}
const path = { uid: created[0]?.uid ?? "" };
const got = ok(await client.GET("/iam/v2beta1/groups/{uid}", { params: { path } }));

const listed: (string | undefined)[] = [];
let pages = 0;
let page_token = "";
do {
  const query = { "uidp.children_of": organization.uid, order_by: "name", page_size: 2, page_token };
  const page = ok(await client.GET("/iam/v2beta1/groups", { params: { query } }));
  listed.push(...(page.groups ?? []).map(({ name }) => name));
  page_token = page.nextPageToken ?? "";
  pages++;
} while (page_token !== "");

const body = { name: "ignored", description: "changed" };
const params = { path, query: { updateMask: "description" } };
const updated = ok(await client.PATCH("/iam/v2beta1/groups/{uid}", { params, body }));
ok(await client.DELETE("/iam/v2beta1/groups/{uid}", { params: { path } }));
const gone = await client.GET("/iam/v2beta1/groups/{uid}", { params: { path } });
// @ts-expect-error: the name is required.
const invalid = await client.POST("/iam/v2beta1/groups", { body: {} });
const { code, details } = invalid.error ?? {};

console.log(JSON.stringify({
  got: got.name,
  listed,
  pages,
  updated: [updated.name, updated.description],
  gone: gone.error?.code,
  invalid: [code, details?.[1]?.fieldViolations?.[0]?.field],
}));
`;

describe("the API description", () => {
  const folder = scratchFolder("wharf-openapi-");
  const file = join(folder, "openapi.json");
  let world: World;
  after(() => world.stop());
  before(async () => {
    world = await World.start();
    writeFileSync(file, await (await fetch(`${world.server.url}/openapi.json`)).text());
  });

  test("passes redocly lint without errors and warnings", async () => {
    const redocly = join(ROOT, "node_modules/.bin/redocly");
    const config = join(folder, "redocly.yaml");
    // A server on a loopback address is one.
    writeFileSync(config, "extends: [recommended]\nrules:\n  no-server-example.com: off\n");
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    };
    const words = ["lint", file, "--config", config, "--format", "json", "--max-problems", "50"];
    const { stdout } = await run(redocly, words, { env, cwd: folder }).catch((error) => error);
    const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf("{")));
    const seen = problems.map((one: { ruleId: string; message: string }) => [
      one.ruleId,
      one.message,
    ]);
    assert.deepEqual(seen, []);
    assert.deepEqual([totals.errors, totals.warnings], [0, 0]);
  });

  test("makes a typed client that creates, gets, lists by pages, updates and deletes", async () => {
    const text = astToString(await openapiTS(new URL(`file://${file}`)));
    writeFileSync(join(folder, "api.d.ts"), text);
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    mkdirSync(join(folder, "node_modules"));
    for (const name of ["openapi-fetch", "openapi-typescript-helpers", "@types"])
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
    const options = ["--strict", "--noEmit", "--target", "esnext", "--module", "nodenext"];
    const more = ["--allowImportingTsExtensions", "--skipLibCheck", "--types", "node"];
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    await run(tsc, [...options, ...more, "program.ts"], { cwd: folder }).catch((error) => {
      throw new Error(error.stdout);
    });
    const program = [join(folder, "program.ts"), world.server.url, world.operator().token];
    const { stdout } = await run(process.execPath, program, { cwd: folder });
    assert.deepEqual(JSON.parse(stdout), {
      got: "a",
      listed: ["a", "b", "c", "d", "e"],
      pages: 3,
      updated: ["a", "changed"],
      gone: 5,
      invalid: [3, "name"],
    });
  });
});
