/** The SQL files of the schema: steps that have landed stay as they are, and none is missing. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { DIALECT } from "../src/store/db/sqlite/dialect.ts";
import { SQL_FILES } from "../src/store/schema/sql-files.ts";
import { parseStatements } from "../src/store/schema/statements.ts";

/** The SHA-256 of each file that has landed, shortened. A new step adds a line. */
const LANDED: Readonly<Record<string, string>> = {
  "006-sealed-secrets.sql": "bfce7e203456",
  "007-memberships.sql": "7ec9d6e49d18",
  "008-expiry-by-index.sql": "839e901a7b25",
  "009-grant-changes.sql": "ebcc6f007fdd",
  "010-signing-algorithms.sql": "9f1e9b492f71",
  "011-repo-deletions.sql": "ed9e89b9f6e2",
  "012-deleted-groups.sql": "8368c70232ee",
  "013-advisory-sources.sql": "5b14361a7964",
  "014-resource-tables.sql": "2340b0970a1f",
  "015-commit-markers.sql": "ef971739c4cf",
  "016-idempotency-keys.sql": "985fea665215",
  "017-list-indexes.sql": "734b29366081",
  "018-row-log.sql": "b28b47938a55",
  "019-event-delivery.sql": "afdf00a19f5b",
  "020-audit-log.sql": "7f84d277cb5f",
  "021-event-actors.sql": "46f045f41514",
  "022-identity-kinds.sql": "d401d6b05880",
  "023-organization-settings.sql": "d9bdbef4614c",
  "024-delivery-counts.sql": "a3f633585acb",
  "025-order-indexes.sql": "3ee0276657f6",
  "026-audit-search.sql": "09475f96fb96",
  "027-registry-content.sql": "9d01fb8cb90b",
  "028-upload-parts.sql": "99758d6155c8",
  "029-damaged-blobs.sql": "7905516061cc",
  "030-exposure.sql": "8fcac7f3d396",
  "031-decisions-vulnerability-sources.sql": "4ab2de1cf92a",
  "032-blob-links-in-order.sql": "8b53ce2c2f56",
  "033-registry-usage.sql": "4bc8d51d7c23",
  "034-path-aliases.sql": "471a846716f6",
  "035-image-signatures.sql": "5fa87fce0327",
  "036-verification-keys.sql": "b6fdc305b6f1",
  "037-untagged-manifests.sql": "185af2787ad4",
  "038-retention.sql": "8a13a0fea737",
  "039-retention-policies-tag-rules.sql": "ed230d88d555",
  "040-upstream-states.sql": "c9150fafbcf7",
  "041-upstreams.sql": "d8ff817cf5b0",
  "042-image-states.sql": "3616d36ddd75",
  "schema-027.sql": "de494e14b522",
};

describe("SQL files", () => {
  for (const [name, text] of Object.entries(SQL_FILES)) {
    test(`${name} is as it landed`, () => {
      const found = hash("sha256", text).slice(0, 12);
      const hint = "change the schema with a new step; a new one is listed in LANDED";
      assert.equal(found, LANDED[name], hint);
    });
  }

  test("none is missing, and numbers have no gaps", () => {
    assert.deepEqual(Object.keys(LANDED).sort(), Object.keys(SQL_FILES).sort());
    const numbers = Object.keys(SQL_FILES).flatMap((name) => /^\d+/.exec(name)?.[0] ?? []);
    const [first = 0] = numbers.map(Number).sort((a, b) => a - b);
    assert.deepEqual(
      numbers.map(Number).sort((a, b) => a - b),
      numbers.map((_, at) => first + at),
    );
  });

  test("a statement without its semicolon is an error", () => {
    assert.throws(() => parseStatements("DELETE FROM one\n", DIALECT), /does not end: DELETE/);
  });
});
