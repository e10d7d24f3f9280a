import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";

const FOLDER = join(import.meta.dirname, "../../../../../shared");

/**
 * The path of public test data in a folder `shared` beside the repository, of which it is no part. Where the data is
 * absent, the test says so, and its caller returns.
 */
export function sharedData(context: TestContext, path: string): string | undefined {
  const found = join(FOLDER, path);
  if (existsSync(found)) return found;
  context.diagnostic(`not tested: shared/${path} is absent`);
  return undefined;
}
