/** The package of the proto files, used without the rest of the repository. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { credentials, loadPackageDefinition, Metadata } from "@grpc/grpc-js";
import { load } from "@grpc/proto-loader";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { World } from "../support/world/world.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../../..");

describe("the package of the proto files", () => {
  const folder = scratchFolder("wharf-proto-");
  const files = join(folder, "package");
  const google = join(folder, "google-api");
  before(async () => {
    const words = ["pack", join(ROOT, "proto"), "--pack-destination", folder, "--json"];
    const { stdout } = await run("npm", words, { cwd: folder });
    const [{ filename }] = JSON.parse(stdout);
    await run("tar", ["xzf", filename], { cwd: folder });
    cpSync(join(ROOT, "node_modules/google-proto-files/google/api"), join(google, "google/api"), {
      recursive: true,
      filter: (path) => !/\/api\/[a-z]+$/.test(path) || path.endsWith("google/api"),
    });
  });

  test("has the version of the server", () => {
    const versionOf = (path: string) => JSON.parse(readFileSync(path, "utf8")).version;
    const server = versionOf(join(ROOT, "packages/server/package.json"));
    assert.equal(versionOf(join(files, "package.json")), server);
  });

  test("builds with buf beside its dependency", async () => {
    const modules = ["package", "google-api"].map((path) => `  - path: ${path}`).join("\n");
    writeFileSync(join(folder, "buf.yaml"), `version: v2\nmodules:\n${modules}\n`);
    await run(join(ROOT, "node_modules/.bin/buf"), ["build", "--output", "/dev/null"], {
      cwd: folder,
    });
  });

  describe("with a gRPC client of another library", () => {
    let world: World;
    after(() => world.stop());
    before(async () => {
      world = await World.start();
    });

    test("calls a server", async () => {
      await world.organization("acme");
      const definition = await load("wharf/iam/v2beta1/groups.proto", {
        includeDirs: [files, google],
        longs: String,
      });
      // biome-ignore lint/suspicious/noExplicitAny: the library has no types for what it loads.
      const { GroupsService } = (loadPackageDefinition(definition) as any).wharf.iam.v2beta1;
      const { host } = new URL(world.server.url);
      const client = new GroupsService(host, credentials.createInsecure());
      const metadata = new Metadata();
      metadata.set("authorization", `Bearer ${world.operator().token}`);
      const listed = await promisify(client.ListGroups.bind(client, { name: "acme" }, metadata))();
      client.close();
      assert.deepEqual([listed.totalCount, listed.groups[0].name], ["1", "acme"]);
    });
  });
});
