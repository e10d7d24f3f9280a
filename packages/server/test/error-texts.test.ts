/**
 * The catalog of error texts: each kind of rejection once, with its code, fields and sentence. Other tests
 * compare codes, fields and types of violations, so that a sentence can be improved in one place.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { CommitOutcomeUnknown, outcomeUnknown } from "../src/store/db/commit/errors.ts";
import { type FailureCause, storeError } from "../src/store/db/failure.ts";
import { ACCESS } from "./error-texts/access.ts";
import { ADVISORIES, DOCUMENTS } from "./error-texts/advisories.ts";
import { ASSOCIATIONS } from "./error-texts/associations.ts";
import { CALLERS } from "./error-texts/callers.ts";
import { GROUPS } from "./error-texts/groups.ts";
import { IDENTITIES } from "./error-texts/identities.ts";
import { LISTS } from "./error-texts/lists.ts";
import { PROVIDERS } from "./error-texts/providers.ts";
import { REGISTRY } from "./error-texts/registry.ts";
import { COMMIT_OUTCOME_UNKNOWN, STORE_FAILURES } from "./error-texts/store.ts";
import { asExpected, Ground } from "./error-texts/table.ts";
import { V1 } from "./error-texts/v1.ts";
import { checkExample, exampleTitles } from "./openapi/error-examples.ts";
import { rejected } from "./support/client/api-error.ts";
import { onEachStore } from "./support/world/world.ts";

const TABLES = {
  callers: CALLERS,
  groups: GROUPS,
  identities: IDENTITIES,
  access: ACCESS,
  "identity providers": PROVIDERS,
  "account associations": ASSOCIATIONS,
  registry: REGISTRY,
  "documents of imports": DOCUMENTS,
  advisories: ADVISORIES,
  lists: LISTS,
  v1: V1,
};

const EXAMPLES = exampleTitles(TABLES);

describe("error texts of the store", () => {
  for (const [cause, [operation, text]] of Object.entries(STORE_FAILURES)) {
    test(`a ${operation} that fails: ${cause}`, () => {
      const error = storeError({ operation, cause: cause as FailureCause, error: undefined });
      assert.equal(error.message, text);
    });
  }

  test("a commit whose outcome is unknown", () => {
    const error = outcomeUnknown(new CommitOutcomeUnknown("the connection broke", undefined));
    assert.equal(error.message, COMMIT_OUTCOME_UNKNOWN);
  });
});

onEachStore(
  "error texts",
  (world) => {
    let org: string;
    before(async () => {
      org = await world.organization("texts");
    });

    for (const [area, table] of Object.entries(TABLES)) {
      for (const [when, cause, error] of table) {
        world.rule(`${area}: ${when}`, async (api) => {
          const found = await rejected(cause(new Ground(api, world, org)));
          assert.deepEqual(asExpected(found, world.server.url), error);
          // Over gRPC, details have no empty fields.
          if (api.protocol === "REST" && EXAMPLES.has(`${area}: ${when}`))
            checkExample(found, world.server.url);
        });
      }
    }
  },
  { login: true },
);
