/** The files that `npm run package` writes, installed and used on Node.js 20 and on the one of the release. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import manifest from "../../../../package.json" with { type: "json" };
import { writeExecutable } from "../../../../scripts/release/executables.ts";
import { macosArchive } from "../../../../scripts/release/macos.ts";
import { nodeFor } from "../../../../scripts/release/node-runtimes.ts";
import { certificateEntry } from "../../../../scripts/release/windows.ts";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import { DownloadSite } from "../support/download-site.ts";
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
import { signingKey, verifiedStatement, verifyBundle } from "../support/sigstore.ts";
import { Site } from "../support/site.ts";

const { version } = manifest;

/** Replaces the answers of git, so that files can be changed while this runs. */
const BUILD = {
  WHARF_COMMIT: "0123456789abcdef".repeat(3).slice(8),
  SOURCE_DATE_EPOCH: "1790000000",
};

/** Files that depend on the publisher, and so are not among the sums. */
const OF_PUBLISHER =
  /^(?:SHA256SUMS(?:\.sig|\.sigstore\.json)?|wharf\.pub|wharf\.rb|wharf-.+\.provenance\.sigstore\.json)$/;

const DOWNLOADS = "https://downloads.example.com/wharf";

/** The machines in the headers of programs for macOS. */
const MACH_O_MACHINES = { x64: 0x0100_0007, arm64: 0x0100_000c } as const;

const script = (name: string) => join(ROOT, "scripts/release", name);

describe("the release", () => {
  const scratch = scratchFolder("wharf-release-");
  const release = join(scratch, "release");
  const file = (name: string) => join(release, name);
  const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  const publisher = signingKey();
  let site: Site;
  before(async () => {
    site = await Site.start();
    worked(
      await run(process.execPath, [script("main.ts"), release], {
        env: {
          ...BUILD_ENVIRONMENT,
          ...BUILD,
          WHARF_SIGNING_KEY: publisher.privateKey,
          WHARF_DOWNLOAD_URL: DOWNLOADS,
        },
      }),
    );
    await site.make("organizations", "acme");
  });
  after(() => site.stop());

  test("has sums of all its files, and files that can be built again", async () => {
    const sums = readFileSync(file("SHA256SUMS"), "utf8");
    const files = readdirSync(release).filter((name) => !OF_PUBLISHER.test(name));
    assert.deepEqual(sums.match(/(?<= {2}).+$/gm), files.sort());
    worked(await run("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release }));
    const again = join(scratch, "again");
    mkdirSync(again);
    worked(await run(process.execPath, [script("stage.ts"), again], { env: BUILD }));
    const packed = ["pack", "--silent", "--pack-destination", again, join(again, "cli")];
    worked(await run("npm", packed, { cwd: ROOT }));
    const name = `wharf-cli-${version}.tgz`;
    assert.equal(digest(join(again, name)), digest(file(name)));
    const windows = `wharf-${version}-windows-x64.exe`;
    await writeExecutable("win32-x64", join(again, "cli/dist"), join(again, windows));
    assert.equal(digest(join(again, windows)), digest(file(windows)));
    const macos = `wharf-${version}-macos-arm64`;
    const options = { name: macos, staged: join(again, "cli") };
    const seconds = Number(BUILD.SOURCE_DATE_EPOCH);
    const archive = await macosArchive("darwin-arm64", { ...options, seconds });
    assert.ok(archive.equals(readFileSync(file(`${macos}.tar.gz`))));
  });

  test("is signed by its publisher, with provenance of all files", async () => {
    const { publicKey } = publisher;
    const bundle = (name: string) => JSON.parse(readFileSync(file(name), "utf8"));
    const sums = readFileSync(file("SHA256SUMS"));
    verifyBundle(bundle("SHA256SUMS.sigstore.json"), publicKey, sums);
    const openssl = ["dgst", "-sha256", "-verify", "wharf.pub", "-signature", "SHA256SUMS.sig"];
    worked(await run("openssl", [...openssl, "SHA256SUMS"], { cwd: release }));
    const provenance = bundle(`wharf-${version}.provenance.sigstore.json`);
    const { subject, predicate } = verifiedStatement(provenance, publicKey);
    type Subject = { name: string; digest: { sha256: string } };
    const subjects = subject.map(({ name, digest }: Subject) => `${digest.sha256}  ${name}`);
    const own = `${digest(file("SHA256SUMS"))}  SHA256SUMS`;
    assert.deepEqual(subjects.sort(), [...String(sums).trim().split("\n"), own].sort());
    const [source] = predicate.buildDefinition.resolvedDependencies;
    assert.equal(source.digest.gitCommit, BUILD.WHARF_COMMIT);
  });

  test("has a Homebrew formula with the sums of its files", () => {
    const formula = readFileSync(file("wharf.rb"), "utf8");
    const found = [...formula.matchAll(/url "(.+)\/(.+)"\n\s+sha256 "(.+)"/g)];
    assert.equal(found.length, 4);
    for (const [, url, name = "", sum] of found) {
      assert.equal(url, DOWNLOADS);
      assert.equal(sum, digest(file(name)));
    }
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

  test("the executable for Windows is one, without a signature that would be invalid", () => {
    const bytes = readFileSync(file(`wharf-${version}-windows-x64.exe`));
    // The machine, after the four bytes that begin the header.
    assert.equal(bytes.readUInt16LE(bytes.readUInt32LE(0x3c) + 4), 0x8664);
    const entry = certificateEntry(bytes);
    assert.ok(bytes.subarray(entry, entry + 8).equals(Buffer.alloc(8)));
    assert.ok(bytes.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1"));
    for (const asset of ["commands.cjs", "console/index.html"]) assert.ok(bytes.includes(asset));
  });

  for (const architecture of ["arm64", "x64"] as const) {
    test(`the archive for macOS on ${architecture} has the signed Node.js and a launcher`, async () => {
      const name = `wharf-${version}-macos-${architecture}`;
      const folder = join(scratch, name);
      worked(await run("tar", ["-xzf", file(`${name}.tar.gz`), "-C", scratch]));
      const node = join(folder, "lib/node");
      const bytes = readFileSync(node);
      assert.equal(bytes.readUInt32LE(0), 0xfeedfacf);
      assert.equal(bytes.readUInt32LE(4), MACH_O_MACHINES[architecture]);
      assert.ok(bytes.equals(readFileSync(nodeFor(`darwin-${architecture}`))));
      // Node.js of this machine in place of that of macOS.
      rmSync(node);
      symlinkSync(process.execPath, node);
      const links = join(folder, "links");
      mkdirSync(links);
      symlinkSync("../wharf", join(links, "wharf"));
      symlinkSync(join(folder, "docker-credential-wharf"), join(links, "docker-credential-wharf"));
      const env = { PATH: process.env.PATH as string, HOME: folder };
      for (const wharf of [join(folder, "wharf"), join(links, "wharf")]) {
        const details = JSON.parse(worked(await run(wharf, ["version", "-o", "json"], { env })));
        assert.equal(details.commit, BUILD.WHARF_COMMIT);
      }
      const helper = await run(join(links, "docker-credential-wharf"), ["version"], { env });
      assert.equal(worked(helper), `docker-credential-wharf ${version}\n`);
      const unknown = await run(join(folder, "wharf"), ["no such", "command"], { env });
      assert.equal(unknown.code, 2);
    });
  }

  describe("the install script", () => {
    const executable = `wharf-${version}-linux-${process.arch}`;
    let downloads: DownloadSite;
    before(async () => {
      downloads = await DownloadSite.start(release);
    });
    beforeEach(() => downloads.changed.clear());
    after(() => downloads.stop());

    const prefix = () => mkdtempSync(join(scratch, "prefix-"));
    const key = () => ({ WHARF_PUBLIC_KEY: file("wharf.pub") });
    const rejects = async (expected: RegExp, env: Readonly<Record<string, string>> = {}) => {
      const folder = prefix();
      const { code, stderr } = await downloads.install(folder, env);
      assert.equal(code, 1);
      assert.match(stderr, expected);
      assert.deepEqual(readdirSync(folder), []);
    };
    const damaged = (name: string) => {
      const bytes = Buffer.from(downloads.read(name));
      bytes[100] = (bytes[100] ?? 0) ^ 1;
      return bytes;
    };

    test("installs the command and its helpers, twice, with and without a public key", async () => {
      const folder = prefix();
      worked(await downloads.install(folder, key()));
      const { stderr } = await downloads.install(folder);
      assert.match(stderr, /signature not checked/);
      assert.equal(digest(join(folder, "bin/wharf")), digest(file(executable)));
      const env = { HOME: folder };
      const helper = await run(join(folder, "bin/docker-credential-wharf"), ["version"], { env });
      assert.equal(worked(helper), `docker-credential-wharf ${version}\n`);
    });

    test("installs the archive on macOS", async () => {
      const folder = prefix();
      const programs = mkdtempSync(join(scratch, "programs-"));
      const uname = join(programs, "uname");
      writeFileSync(uname, '#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo arm64\n');
      chmodSync(uname, 0o755);
      const env = { PATH: `${programs}:${process.env.PATH}`, ...key() };
      for (const _ of ["first", "again"]) worked(await downloads.install(folder, env));
      const node = join(folder, "lib/wharf/lib/node");
      assert.equal(digest(node), digest(nodeFor("darwin-arm64")));
      rmSync(node);
      symlinkSync(process.execPath, node);
      const printed = await run(join(folder, "bin/wharf"), ["version"], {
        env: { PATH: process.env.PATH as string, HOME: folder },
      });
      assert.ok(worked(printed).includes(version));
    });

    test("rejects a damaged file", async () => {
      downloads.changed.set(executable, damaged(executable));
      await rejects(/wrong checksum/);
    });

    test("rejects a wrong sum, with a public key before it downloads", async () => {
      const sums = String(downloads.read("SHA256SUMS"));
      const wrong = sums.replaceAll(/^[0-9a-f]{64}/gm, "0".repeat(64));
      downloads.changed.set("SHA256SUMS", Buffer.from(wrong));
      await rejects(/wrong checksum/);
      downloads.changed.set(executable, undefined);
      await rejects(/invalid signature/, key());
    });

    test("rejects a missing signature, another key, and a release without this platform", async () => {
      const other = join(scratch, "other.pub");
      writeFileSync(other, signingKey().publicKey);
      await rejects(/invalid signature/, { WHARF_PUBLIC_KEY: other });
      downloads.changed.set("SHA256SUMS.sig", undefined);
      await rejects(/cannot download/, key());
      downloads.changed.set("SHA256SUMS", Buffer.from(`${"0".repeat(64)}  ../${executable}\n`));
      await rejects(/no file for linux/);
      await rejects(/set WHARF_DOWNLOAD_URL/, { WHARF_DOWNLOAD_URL: "" });
    });
  });
});
