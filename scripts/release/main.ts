/**
 * `npm run package`: writes the release into release/: packages for npm, executables for Linux, the SBOM and the
 * SHA-256 sums. The same commit yields the same files. Arguments name the folder to write to.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT, step, tool } from "../step.ts";
import { checkPackage } from "./check-package.ts";
import { stageCommand } from "./command-package.ts";
import { writeExecutable } from "./executables.ts";
import { LIBRARY_NAMES, stageLibrary, stageProtos } from "./libraries.ts";
import { ARCHITECTURES } from "./node-runtimes.ts";
import { sbom } from "./sbom.ts";

const [folder = "release"] = process.argv.slice(2);
const OUT = resolve(ROOT, folder);
/** Below the packages that are compiled against. */
const CACHE = join(ROOT, "node_modules/.cache");
mkdirSync(CACHE, { recursive: true });
const STAGE = mkdtempSync(join(CACHE, "wharf-release-"));
const { version } = manifest;

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

function sums(): string {
  const files = readdirSync(OUT, { withFileTypes: true }).filter((entry) => entry.isFile());
  const lines = files
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(OUT, name)))
        .digest("hex");
      return `${digest}  ${name}\n`;
    });
  return lines.join("");
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
  ...ARCHITECTURES.map((architecture): [string, () => Promise<void>] => [
    `executable for linux-${architecture}`,
    async () => {
      const name = `wharf-${version}-linux-${architecture}`;
      await writeExecutable(architecture, join(STAGE, "cli/dist"), join(STAGE, name));
      await tool("mv", join(STAGE, name), join(OUT, name));
    },
  ]),
  ["SBOM", async () => writeFileSync(join(OUT, `wharf-${version}.spdx.json`), sbom())],
  [
    "SHA-256 sums",
    async () => {
      writeFileSync(join(OUT, "SHA256SUMS"), sums());
    },
  ],
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
