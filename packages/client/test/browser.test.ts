import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openPage } from "../../server/test/support/browser/browser.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";

/** The default entry as a page would load it. Anything of Node.js in it fails the build. */
async function bundle(): Promise<{ code: string; imported: string[] }> {
  const result = await build({
    stdin: {
      contents: `import * as client from "@wharf/client"; globalThis.client = client;`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    platform: "browser",
    format: "iife",
    logLevel: "silent",
  });
  const imported = Object.values(result.metafile.inputs).flatMap(({ imports }) =>
    imports.filter((one) => one.external).map(({ path }) => path),
  );
  return { code: result.outputFiles[0]?.text ?? "", imported };
}

let site: Server;
let origin: string;
let server: TestServer;
let browser: Browser;
let page: Page;
let complaints: string[];
before(async () => {
  const { code, imported } = await bundle();
  assert.deepEqual(imported, []);
  site = createServer((request, response) => {
    const script = request.url === "/client.js";
    response.setHeader("content-type", script ? "text/javascript" : "text/html");
    response.end(script ? code : `<!doctype html><script src="/client.js"></script>`);
  }).listen(0, "localhost");
  await once(site, "listening");
  origin = `http://localhost:${(site.address() as AddressInfo).port}`;
  server = await TestServer.start({ flags: ["--cors-origins", origin] });
  browser = await launchBrowser();
  ({ page, complaints } = await openPage(browser));
  await page.goto(`${origin}/`);
});
after(async () => {
  await browser.close();
  await server.stop();
  site.close();
});

/** Runs code in the page, with a client at hand; answers with what it returns. */
async function inPage<T>(code: string): Promise<T> {
  const options = JSON.stringify({
    baseUrl: server.url,
    token: await server.token(),
    userAgent: "page-of-tests",
  });
  return page.evaluate(`(async () => {
    const { createWharf, tokens, NotFoundError, GroupsService } = client;
    const options = ${options};
    const wharf = createWharf(options);
    ${code}
  })()`);
}

test("a page creates, changes, lists and deletes", async () => {
  const seen = await inPage(`
    const { uid } = await wharf.groups.create({ group: { name: "page", description: "a" } });
    for (const name of ["b", "a"]) await wharf.groups.create({ parent: uid, group: { name } });
    await wharf.groups.update({ group: { uid, description: "" } });
    const names = [];
    const children = { uidp: { childrenOf: uid }, orderBy: "name", pageSize: 1 };
    for await (const group of wharf.groups.listAll(children)) {
      names.push(group.name);
      await wharf.call(GroupsService.method.deleteGroup, { uid: group.uid });
    }
    const { description } = await wharf.groups.get({ uid });
    return { names, description };
  `);
  assert.deepEqual(seen, { names: ["a", "b"], description: "" });
  assert.deepEqual(complaints, []);
});

test("a page gets errors with all details", async () => {
  const error = await inPage<Record<string, unknown>>(`
    const error = await wharf.groups.get({ uid: "f".repeat(40) }).catch((thrown) => thrown);
    const { code, name, requestId, resource } = error;
    return { code, name, requestId, resource, isOne: error instanceof NotFoundError };
  `);
  assert.match(String(error.requestId), /-\d+$/);
  assert.deepEqual(
    { ...error, requestId: "" },
    {
      code: "NOT_FOUND",
      name: "NotFoundError",
      requestId: "",
      resource: { type: "iam.wharf.internal/Group", name: "f".repeat(40) },
      isOne: true,
    },
  );
});

test("a page exchanges its token and gives up requests", async () => {
  const seen = await inPage(`
    const { baseUrl } = options;
    const from = tokens.fixed(options.token);
    const source = tokens.exchange({ authUrl: baseUrl, from, capabilities: ["groups.list"] });
    const { expires } = await source.get({ audience: baseUrl });
    const lesser = createWharf({ baseUrl, token: source });
    const denied = await lesser.roles.create({ parent: "a".repeat(40), role: { name: "r" } })
      .catch((thrown) => thrown.code);
    const reason = await wharf.groups.list({}, { signal: AbortSignal.abort() })
      .catch((thrown) => thrown.name);
    return { denied, reason, later: expires.getTime() > Date.now() };
  `);
  assert.deepEqual(seen, { denied: "PERMISSION_DENIED", reason: "AbortError", later: true });
});

test("a server that does not allow the page's origin cannot be read", async () => {
  const other = await TestServer.start();
  const code = await page.evaluate(
    `client.createWharf({ baseUrl: ${JSON.stringify(other.url)}, retries: 0 })
      .ping.ping().catch((thrown) => thrown.code)`,
  );
  await other.stop();
  assert.equal(code, "UNAVAILABLE");
});
