import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { StepError, tool } from "../step.ts";

/**
 * Checks a package as others use it: publint checks its manifest and files, arethetypeswrong what TypeScript finds.
 * Packages are modules only, and the command has no types.
 */
export async function checkPackage(folder: string, tarball: string): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false });
  const problems = messages.filter(({ type }) => type !== "suggestion");
  if (problems.length > 0) {
    throw new StepError(problems.map((one) => formatMessage(one, pkg)).join("\n"));
  }
  if (pkg.exports !== undefined) await tool("attw", "--profile", "esm-only", tarball);
}
