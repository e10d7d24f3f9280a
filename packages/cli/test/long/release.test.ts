/** The files that `npm run package` writes, installed and used on Node.js 20 and on the one of the release. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import manifest from "../../../../package.json" with { type: "json" };
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import {
  BUILD_ENVIRONMENT,
  node20,
  npm,
  pathWith,
  ROOT,
  run,
  serve,
  worked,
} from "../support/release.ts";
import { Site } from "../support/site.ts";

const { version } = manifest;

/** What git would say, so that files can be changed while this runs. */
const BUILD = {
  WHARF_COMMIT: "0123456789abcdef".repeat(3).slice(8),
  SOURCE_DATE_EPOCH: "1790000000",
};

const script = (name: string) => join(ROOT, "scripts/release", name);

describe("the release", () => {
  const scratch = scratchFolder("wharf-release-");
  const release = join(scratch, "release");
  const file = (name: string) => join(release, name);
  let site: Site;
  before(async () => {
    site = await Site.start();
    worked(
      await run(process.execPath, [script("main.ts"), release], {
        env: { ...BUILD_ENVIRONMENT, ...BUILD },
      }),
    );
    await site.make("organizations", "acme");
  });
  after(() => site.stop());

  test("has sums of all its files, and packages that can be built again", async () => {
    const sums = readFileSync(file("SHA256SUMS"), "utf8");
    const files = readdirSync(release).filter((name) => name !== "SHA256SUMS");
    assert.deepEqual(sums.match(/(?<= {2}).+$/gm), files.sort());
    worked(await run("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release }));
    const again = join(scratch, "again");
    mkdirSync(again);
    worked(await run(process.execPath, [script("stage.ts"), again], { env: BUILD }));
    const packed = ["pack", "--silent", "--pack-destination", again, join(again, "cli")];
    worked(await run("npm", packed, { cwd: ROOT }));
    const name = `wharf-cli-${version}.tgz`;
    const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
    assert.equal(digest(join(again, name)), digest(file(name)));
  });

  test("has an SBOM with what it contains, and no package URLs of others", () => {
    const text = readFileSync(file(`wharf-${version}.spdx.json`), "utf8");
    const { spdxVersion, packages, relationships, creationInfo } = JSON.parse(text);
    assert.equal(spdxVersion, "SPDX-2.3");
    assert.match(creationInfo.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const ids = new Set(packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID));
    for (const { spdxElementId, relatedSpdxElement } of relationships) {
      for (const id of [spdxElementId, relatedSpdxElement]) {
        assert.ok(id === "SPDXRef-DOCUMENT" || ids.has(id), id);
      }
    }
    const named = (name: string) => packages.find((one: { name: string }) => one.name === name);
    assert.equal(named("pg").checksums[0].algorithm, "SHA512");
    assert.equal(named("publint"), undefined, "only for development");
    assert.ok(!text.includes("pkg:npm/wharf@") && !text.includes("pkg:npm/%40wharf/"));
  });

  const prefixOf = (id: "old" | "own") => join(scratch, `prefix-${id}`);

  for (const [id, name, node] of [
    ["old", "Node.js 20", node20],
    ["own", "the Node.js of the release", () => process.execPath],
  ] as const) {
    describe(`the command on ${name}`, () => {
      const prefix = prefixOf(id);
      let env: Record<string, string>;
      const wharf = (...args: string[]) => run(join(prefix, "bin/wharf"), args, { env });
      before(async () => {
        env = { ...site.env, PATH: pathWith(join(prefix, "node"), node()), HOME: prefix };
        const install = ["install", "--global", "--offline", "--prefix", prefix];
        worked(await run("npm", [...install, file(`wharf-cli-${version}.tgz`)], { env }));
      });

      test("installs alone, with man pages and completions", async () => {
        const installed = join(prefix, "lib/node_modules/@wharf/cli");
        assert.ok(!existsSync(join(installed, "node_modules")));
        assert.ok(existsSync(join(prefix, "share/man/man1/wharf.1")));
        for (const completion of ["wharf.bash", "_wharf", "wharf.fish"]) {
          assert.match(readFileSync(join(installed, "completions", completion), "utf8"), /wharf/);
        }
        const details = JSON.parse(worked(await wharf("version", "-o", "json")));
        assert.equal(details.version, version);
        assert.equal(details.commit, BUILD.WHARF_COMMIT);
        assert.equal(details.buildDate, "2026-09-21T14:13:20Z");
      });

      test("calls a server", async () => {
        const folder = `team-${id}`;
        worked(await wharf("iam", "folders", "create", folder, "--parent", "acme"));
        assert.match(worked(await wharf("iam", "folders", "list", "-o", "tree")), /team-/);
        assert.match(worked(await wharf("iam", "folders", "describe", `acme/${folder}`)), /UID/);
        assert.match(
          worked(await wharf("access", "list", "--resource", "acme", "-o", "json")),
          /items/,
        );
        assert.match(worked(await wharf("config", "validate")), /is ready/);
        worked(await wharf("auth", "configure-docker", "--dry-run"));
        const vex = join(prefix, "a.yaml");
        writeFileSync(
          vex,
          `schema-version: 2.0.2
package: { name: ${folder} }
advisories:
  - id: CGA-2222-3333-${id === "old" ? "4444" : "5555"}
    aliases: [CVE-2026-12345]
    events:
      - { timestamp: 2026-05-06T08:30:00Z, type: fixed, data: { fixed-version: 3.5.1-r0 } }
`,
        );
        worked(await wharf("advisories", "import", vex, "--group", "acme"));
        assert.match(
          worked(await wharf("advisories", "list", "--group", "acme")),
          /CVE-2026-12345/,
        );
        worked(await wharf("iam", "folders", "delete", `acme/${folder}`, "-y"));
        worked(await wharf("health"));
      });

      test("signs in to registries for Docker", async () => {
        const helper = join(prefix, "bin/docker-credential-wharf");
        const host = new URL(site.server.url).host;
        const { Username } = JSON.parse(worked(await run(helper, ["get"], { env, input: host })));
        assert.equal(Username, "_token");
      });
    });
  }

  test("the server needs a newer Node.js than 20, and says so", async () => {
    const prefix = prefixOf("old");
    const env = { PATH: `${join(prefix, "node")}:${process.env.PATH}` };
    for (const words of [["serve"], ["admin", "token"], ["registry", "run"]]) {
      const { code, stderr } = await run(join(prefix, "bin/wharf"), words, { env });
      assert.equal(code, 1);
      assert.match(stderr, /^wharf: the server needs Node\.js 24 or newer, this is v20\.20\.2\n/);
    }
    const help = await run(join(prefix, "bin/wharf"), ["serve", "--help"], { env });
    assert.match(worked(help), /--listen/);
  });

  test("the installed server serves", async () => {
    const prefix = prefixOf("own");
    const env = { PATH: `${join(prefix, "node")}:${process.env.PATH}` };
    const settings = ["--data", join(prefix, "data"), "--listen", "127.0.0.1:0"];
    const server = await serve(join(prefix, "bin/wharf"), ["serve", ...settings], env);
    const answer = await fetch(`${server.url}/version`);
    assert.equal(((await answer.json()) as { version: string }).version, version);
    assert.match(await (await fetch(`${server.url}/metrics`)).text(), /^wharf_build_info\{/m);
    assert.equal((await fetch(`${server.url}/console/`)).status, 200);
    assert.equal(await server.stop(), 0);
  });

  test("the libraries compile and run in an empty project", async () => {
    const project = join(scratch, "project");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
    const tarballs = ["contract", "client", "advisories"].map((one) =>
      file(`wharf-${one}-${version}.tgz`),
    );
    worked(await npm(["install", "--prefer-offline", ...tarballs], project));
    const program = `import { createWharf } from "@wharf/client";
import { httpTransport } from "@wharf/client/node/http";
import { builtinRole, type Group } from "@wharf/contract";
import { GroupSchema } from "@wharf/contract/messages";
const { WHARF_API = "", WHARF_TOKEN = "" } = process.env;
for (const more of [{}, { transport: httpTransport() }]) {
  const wharf = createWharf({ baseUrl: WHARF_API, token: WHARF_TOKEN, ...more });
  const groups: Group[] = (await wharf.groups.list({ name: "acme" })).groups;
  console.log(groups[0]?.name, builtinRole("viewer")?.name, GroupSchema.typeName);
}
`;
    writeFileSync(join(project, "program.ts"), program);
    symlinkSync(join(ROOT, "node_modules/@types"), join(project, "types"));
    const types = ["--types", "node", "--typeRoots", join(project, "types")];
    const compile = ["--module", "nodenext", "--target", "es2022", "--strict", "--rootDir", "."];
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    worked(await run(tsc, [...compile, ...types, "program.ts"], { cwd: project }));
    const expected = "acme viewer wharf.iam.v2beta1.Group\n".repeat(2);
    for (const node of [node20(), process.execPath]) {
      const ran = await run(node, ["program.js"], { cwd: project, env: site.env });
      assert.equal(worked(ran), expected);
    }
    const formats = `import * as publish from "@wharf/advisories/publish";
import * as read from "@wharf/advisories/read";
import * as source from "@wharf/advisories/source";
console.log(typeof publish, typeof read, typeof source);`;
    writeFileSync(join(project, "formats.mjs"), formats);
    assert.equal(
      worked(await run(process.execPath, ["formats.mjs"], { cwd: project })),
      "object object object\n",
    );
  });

  test("the executable is the command, the server and its helpers", async () => {
    const executable = file(`wharf-${version}-linux-${process.arch}`);
    const folder = join(scratch, "executable");
    mkdirSync(folder);
    for (const name of ["wharf", "docker-credential-wharf"])
      symlinkSync(executable, join(folder, name));
    // No Node.js on the PATH.
    const env = { PATH: folder, HOME: folder };
    const data = ["--data", join(folder, "data")];
    const settings = [...data, "--listen", "127.0.0.1:0", "--workers", "2"];
    const server = await serve(join(folder, "wharf"), ["serve", ...settings], env);
    const wharf = async (...args: string[]) => {
      const more = { WHARF_API: server.url, ...(token !== "" && { WHARF_TOKEN: token }) };
      return worked(await run(join(folder, "wharf"), args, { env: { ...env, ...more } }));
    };
    let token = "";
    token = (await wharf("admin", "token", ...data)).trim();
    await wharf("iam", "organizations", "create", "acme");
    assert.match(await wharf("iam", "organizations", "list", "-o", "yaml"), /name: acme/);
    assert.match(await wharf("version", "-o", "json"), /"commit": "[0-9a-f]{40}/);
    const helper = await run(join(folder, "docker-credential-wharf"), ["version"], { env });
    assert.equal(worked(helper), `docker-credential-wharf ${version}\n`);
    assert.equal(await server.stop(), 0);
    const other = process.arch === "arm64" ? "x64" : "arm64";
    const bytes = readFileSync(file(`wharf-${version}-linux-${other}`));
    // The machine in the header of an ELF file.
    assert.equal(bytes.readUInt16LE(18), other === "x64" ? 62 : 183);
    assert.ok(bytes.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1"));
  });
});
