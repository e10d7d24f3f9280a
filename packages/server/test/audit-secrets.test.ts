import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { fieldBehavior, rulesOf } from "@wharf/contract";
import { RESOURCES } from "../src/app/resources.ts";
import { deletionOf } from "../src/engine/audit.ts";
import { changedFields } from "../src/engine/changed-fields.ts";
import type { ResourceMessage } from "../src/engine/definition.ts";
import type { Resource } from "../src/engine/resource.ts";

const SECRET = "value-that-must-not-be-recorded";

const isSecret = (field: DescField) =>
  fieldBehavior(field).inputOnly || (rulesOf(field)?.secret ?? false);

/** The paths of the secret texts of a message, each as a message in which only it is set. */
function* withSecret(
  schema: DescMessage,
  hidden: boolean,
  depth = 0,
): Generator<readonly [path: string, message: Message]> {
  if (depth > 4) return;
  for (const field of schema.fields) {
    const isHidden = hidden || isSecret(field);
    const message = reflect(schema);
    if (field.fieldKind === "scalar" && isHidden && typeof message.get(field) === "string") {
      message.set(field, SECRET);
      yield [field.jsonName, message.message];
    } else if (field.fieldKind === "message") {
      for (const [path, inner] of withSecret(field.message, isHidden, depth + 1)) {
        const outer = reflect(schema);
        outer.set(field, reflect(field.message, inner));
        yield [`${field.jsonName}.${path}`, outer.message];
      }
    }
  }
}

test("no secret of any resource gets into the audit log, when it is updated or deleted", () => {
  const found: string[] = [];
  for (const one of Object.values(RESOURCES)) {
    const resource = one as unknown as Resource<ResourceMessage>;
    const { schema } = resource.definition;
    for (const [path, message] of withSecret(schema, false)) {
      found.push(`${schema.name}.${path}`);
      const fields = changedFields(schema, create(schema), message, []);
      const deletion = deletionOf(resource, message as ResourceMessage);
      assert.ok(!JSON.stringify([fields, deletion]).includes(SECRET), `${schema.name}.${path}`);
    }
  }
  assert.ok(found.includes("IdentityProvider.oidc.clientSecret"), found.join(" "));
});
