/** Environment variables for the time of a test. */
import type { TestContext } from "node:test";

/**
 * Sets variables of this process until the test ends.
 *
 * @example setVariables(t, { GITLAB_CI: "true" });
 */
export function setVariables(
  t: Pick<TestContext, "after">,
  variables: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}
