/**
 * `npm run check`: everything that can be checked without running the program. All steps run
 * concurrently; any failure fails the check.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { foldersIntroduceThemselves } from "./check-folders.ts";
import { formatIsRight } from "./check-format.ts";
import { importsGoDown, testsHaveTheirOwnData, trustRunsAnywhere } from "./check-imports.ts";
import { languageIsPlain } from "./check-language.ts";
import { linksAreValid } from "./check-links.ts";
import { documentsAreCurrent } from "./cli-docs/documents.ts";
import { GENERATED } from "./indexes/contract-files.ts";
import { indexesAreCurrent } from "./indexes/indexes.ts";
import { guideIsCurrent } from "./migration-docs/guide.ts";
import { openApiIsCurrent } from "./openapi/file.ts";
import { stepsAreComplete } from "./schema/steps.ts";
import { ROOT, StepError, step, tool } from "./step.ts";

/** The files that buf generates below a folder: contents by path. */
async function contents(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /_pb\.(d\.ts|js)$/.test(entry.name));
  const read = files.map(async (file): Promise<[string, string]> => {
    const path = join(file.parentPath, file.name);
    return [path.slice(folder.length + 1), await readFile(path, "utf8")];
  });
  return new Map(await Promise.all(read));
}

/** The generated code is committed and must match the protos. */
async function generatedCodeIsCurrent(): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "wharf-generated-"));
  try {
    await tool("buf", "generate", "--output", scratch);
    const fresh = await contents(join(scratch, GENERATED));
    const present = await contents(join(ROOT, GENERATED));
    const paths = [...new Set([...fresh.keys(), ...present.keys()])].sort();
    const stale = paths.filter((path) => fresh.get(path) !== present.get(path));
    if (stale.length > 0) {
      const list = stale.map((path) => `${GENERATED}/${path}`).join("\n");
      throw new StepError(
        `${list}\ndiffers from the protos: run npm run generate, and commit the result`,
      );
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A URL in the lock file binds every install to one mirror, which others may not reach. */
async function lockNamesNoMirror(): Promise<void> {
  const lock = await readFile(join(ROOT, "package-lock.json"), "utf8");
  const found = lock.match(/"resolved": "http[^"]*"/g) ?? [];
  if (found.length > 0) {
    throw new StepError(
      `package-lock.json has ${found.length} URLs, such as ${found[0]}: install with --omit-lockfile-registry-resolved`,
    );
  }
}

/** Projects without changes since the last check are skipped. */
function typesAreSound(project: string): Promise<void> {
  const known = join(
    ROOT,
    "node_modules",
    ".cache",
    "tsc",
    `${basename(join(ROOT, project))}.tsbuildinfo`,
  );
  const incremental = ["--incremental", "--tsBuildInfoFile", known];
  // Several checkers would check shared types once each, and other steps use the other processors.
  return tool("tsc", "-p", project, "--singleThreaded", ...incremental);
}

const results = await Promise.all([
  step("format and lint (biome)", formatIsRight),
  step("types (tsc)", () => typesAreSound(".")),
  step("types of the console (tsc)", () => typesAreSound("packages/console")),
  step("types of the console's tests (tsc)", () =>
    typesAreSound("packages/console/tsconfig.test.json"),
  ),
  step("contract lint (buf)", () => tool("buf", "lint")),
  step("contract format (buf)", () => tool("buf", "format", "--diff", "--exit-code", "proto")),
  step("contract build (buf)", () => tool("buf", "build", "--output", "/dev/null")),
  step("generated code is current", generatedCodeIsCurrent),
  step("lists of messages, services and resources are current", indexesAreCurrent),
  step("docs/cli.md and man pages are current", documentsAreCurrent),
  step("the OpenAPI document is current", openApiIsCurrent),
  step("docs/migrate-v1-to-v2.md is current", guideIsCurrent),
  step("steps of the schema are complete", stepsAreComplete),
  step("links in documents", linksAreValid),
  step("direction of imports", importsGoDown),
  step("introductions of folders", foldersIntroduceThemselves),
  step("data directories of tests", testsHaveTheirOwnData),
  step("imports of the trust rules", trustRunsAnywhere),
  step("language", languageIsPlain),
  step("lock file names no mirror", lockNamesNoMirror),
]);

process.exitCode = results.every(Boolean) ? 0 : 1;
