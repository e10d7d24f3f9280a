/**
 * `npm run package`: writes the release into release/: packages for npm, executables for Linux and Windows, archives for
 * macOS, the install script, the SBOM and the SHA-256 sums. The same commit yields the same files. What depends on the
 * publisher is not in the sums: provenance, signatures and the formula. Arguments name the folder to write to.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildSeconds } from "../build-info.ts";
import { ROOT, step, tool } from "../step.ts";
import { checkPackage } from "./check-package.ts";
import { stageCommand } from "./command-package.ts";
import { writeExecutable } from "./executables.ts";
import { formula } from "./formula.ts";
import { LIBRARY_NAMES, stageLibrary, stageProtos } from "./libraries.ts";
import { macosArchive } from "./macos.ts";
import type { Platform } from "./node-runtimes.ts";
import { digestsOf, writeProof } from "./proof.ts";
import { sbom } from "./sbom.ts";
import { Signer } from "./signing.ts";

const [folder = "release"] = process.argv.slice(2);
const OUT = resolve(ROOT, folder);
/** Below the packages that are compiled against. */
const CACHE = join(ROOT, "node_modules/.cache");
mkdirSync(CACHE, { recursive: true });
const STAGE = mkdtempSync(join(CACHE, "wharf-release-"));
const { version, license } = manifest;
const { WHARF_DOWNLOAD_URL, WHARF_SOURCE_URL } = process.env;
const signer = Signer.from(process.env);

/** Names of files by platform: an executable, or an archive. */
const EXECUTABLES: readonly (readonly [Platform, string])[] = [
  ["linux-x64", `wharf-${version}-linux-x64`],
  ["linux-arm64", `wharf-${version}-linux-arm64`],
  ["win32-x64", `wharf-${version}-windows-x64.exe`],
];
const ARCHIVES: readonly (readonly [Platform, string])[] = [
  ["darwin-arm64", `wharf-${version}-macos-arm64`],
  ["darwin-x64", `wharf-${version}-macos-x64`],
];

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(OUT, name), content);
}

function pack(staged: string): string {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", OUT, staged];
  const output = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename }] = Object.values(JSON.parse(output)) as [{ filename: string }];
  return join(OUT, filename);
}

function writeFormula(url: string): void {
  const sums = readFileSync(join(OUT, "SHA256SUMS"), "utf8");
  const homepage = WHARF_SOURCE_URL || url;
  write("wharf.rb", formula({ version, license, url, homepage, sums }));
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });

const steps: [string, () => Promise<void>][] = [
  ...LIBRARY_NAMES.map((name): [string, () => Promise<void>] => [
    `@wharf/${name}`,
    async () => checkPackage(await stageLibrary(name, STAGE), pack(join(STAGE, name))),
  ]),
  [
    "@wharf/proto",
    async () => {
      pack(stageProtos(STAGE));
    },
  ],
  ["@wharf/cli", async () => checkPackage(await stageCommand(STAGE), pack(join(STAGE, "cli")))],
  ...EXECUTABLES.map(([platform, name]): [string, () => Promise<void>] => [
    name,
    async () => {
      await writeExecutable(platform, join(STAGE, "cli/dist"), join(STAGE, name));
      await tool("mv", join(STAGE, name), join(OUT, name));
    },
  ]),
  ...ARCHIVES.map(([platform, name]): [string, () => Promise<void>] => [
    `${name}.tar.gz`,
    async () => {
      const options = { name, staged: join(STAGE, "cli"), seconds: buildSeconds() };
      write(`${name}.tar.gz`, await macosArchive(platform, options));
    },
  ]),
  [
    "install script",
    async () => copyFileSync(join(import.meta.dirname, "install.sh"), join(OUT, "install.sh")),
  ],
  ["SBOM", async () => write(`wharf-${version}.spdx.json`, sbom())],
  [
    "SHA-256 sums",
    async () => {
      const lines = digestsOf(OUT).map(([name, digest]) => `${digest}  ${name}\n`);
      write("SHA256SUMS", lines.join(""));
    },
  ],
  [
    signer ? "provenance and signatures" : "provenance, unsigned: WHARF_SIGNING_KEY is not set",
    async () => writeProof(OUT, { version, signer }),
  ],
  WHARF_DOWNLOAD_URL
    ? ["Homebrew formula", async () => writeFormula(WHARF_DOWNLOAD_URL)]
    : ["no Homebrew formula: WHARF_DOWNLOAD_URL is not set", async () => {}],
];
try {
  for (const [name, work] of steps) {
    if (await step(name, work)) continue;
    process.exitCode = 1;
    break;
  }
} finally {
  rmSync(STAGE, { recursive: true });
}
