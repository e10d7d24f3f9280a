/** The examples of errors in the OpenAPI document: for each reason, one error of the catalog. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { ERROR_EXAMPLES_FILE } from "../../../../scripts/openapi/examples.ts";
import { formatted } from "../../../../scripts/openapi/format.ts";
import type { ErrorText } from "../error-texts/table.ts";
import type { ApiError } from "../support/client/api-error.ts";
import { Fakes } from "./fakes.ts";

/** Errors that say more than the first one of the catalog with the same reason. */
const BETTER: Readonly<Record<string, string>> = {
  INVALID_ARGUMENT: "groups: a name does not match",
  NOT_FOUND: "groups: a group does not exist",
};

/** The error of the catalog that is the example of its reason, by title. */
export function exampleTitles(
  tables: Readonly<Record<string, readonly ErrorText[]>>,
): ReadonlySet<string> {
  const titles = new Map<string, string>();
  for (const [area, table] of Object.entries(tables))
    for (const [when, , { code, violations }] of table) {
      const reason = violations[0] ?? code;
      // The document has only what a server supports.
      if (reason === "UNIMPLEMENTED") continue;
      const title = `${area}: ${when}`;
      if (!titles.has(reason) || BETTER[reason] === title) titles.set(reason, title);
    }
  return new Set(titles.values());
}

/** Compares an error with the example of its reason, or records it: `npm run examples`. */
export function checkExample({ reason, body }: ApiError, url: string): void {
  const found = new Fakes([[url, "https://wharf.example.com"]]).of(body, reason);
  const examples = JSON.parse(readFileSync(ERROR_EXAMPLES_FILE, "utf8"));
  if (process.env.WHARF_RECORD_EXAMPLES !== undefined) {
    const all = Object.entries({ ...examples, [reason]: found }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    writeFileSync(ERROR_EXAMPLES_FILE, formatted(Object.fromEntries(all)));
  } else assert.deepEqual(found, examples[reason]);
}
