import { docsTexts } from "../texts/docs.ts";
import { nameOf, type Reference, type Schema } from "./document.ts";
import { Inline } from "./prose.tsx";
import { linkTo } from "./route.ts";

/** The fields of a schema. Those of messages in it are shown on demand. */
export function Fields({
  schema,
  reference,
  label,
}: {
  readonly schema: Schema;
  readonly reference: Reference;
  readonly label: string;
}) {
  const resolved = resolve(schema, reference);
  const { properties = {}, required = [] } = resolved;
  if (Object.keys(properties).length === 0) {
    return (
      <p>
        <TypeName schema={schema} />
      </p>
    );
  }
  return (
    <ul className="fields" aria-label={label}>
      {Object.entries(properties).map(([name, field]) => (
        <li key={name}>
          <p>
            <code className="field-name">{name}</code> <TypeName schema={field} />{" "}
            {required.includes(name) && <Mark text={docsTexts.required} tone="bad" />}
            {field.readOnly && <Mark text={docsTexts.readOnly} />}
          </p>
          {field.description && (
            <p className="soft">
              <Inline text={field.description} />
            </p>
          )}
          <Bounds schema={field} reference={reference} />
          <Nested schema={field} reference={reference} />
        </li>
      ))}
    </ul>
  );
}

function Mark({ text, tone = "calm" }: { readonly text: string; readonly tone?: string }) {
  return <span className={`badge ${tone}`}>{text}</span>;
}

/** The constraints of a value. */
function Bounds({ schema, reference }: { readonly schema: Schema; readonly reference: Reference }) {
  const { enum: values = [] } = resolve(schema.items ?? schema, reference);
  return (
    <>
      {values.length > 0 && (
        <p className="soft">
          {docsTexts.values}: <code>{values.map(String).join(", ")}</code>
        </p>
      )}
      {schema.pattern !== undefined && (
        <p className="soft">
          {docsTexts.pattern}: <code>{schema.pattern}</code>
        </p>
      )}
      {schema.maxLength !== undefined && (
        <p className="soft">{docsTexts.atMost(schema.maxLength)}</p>
      )}
    </>
  );
}

/** The fields of a message within a message; read when it is opened, so that recursion has an end. */
function Nested({ schema, reference }: { readonly schema: Schema; readonly reference: Reference }) {
  const inner = innerOf(schema);
  const name = nameOf(inner.$ref);
  const { properties } = resolve(inner, reference);
  if (properties === undefined || name === "") return null;
  return (
    <p className="soft">
      <a {...linkTo({ kind: "schema", name })}>{docsTexts.fields(name)}</a>
    </p>
  );
}

/** The schema of the items of a list, or of the values of a map. */
function innerOf(schema: Schema): Schema {
  if (schema.items !== undefined) return innerOf(schema.items);
  const { additionalProperties } = schema;
  return typeof additionalProperties === "object" ? innerOf(additionalProperties) : schema;
}

export function TypeName({ schema }: { readonly schema: Schema }) {
  return <span className="type-name">{typeText(schema)}</span>;
}

function typeText({ $ref, type, format, items, allOf, additionalProperties }: Schema): string {
  if ($ref !== undefined) return nameOf($ref);
  if (allOf?.[0] !== undefined) return typeText(allOf[0]);
  if (items !== undefined) return docsTexts.list(typeText(items));
  if (typeof additionalProperties === "object")
    return docsTexts.map(typeText(additionalProperties));
  const name = [type ?? docsTexts.object].flat().join(" | ");
  return format === undefined ? name : `${name} (${format})`;
}

export function resolve(schema: Schema, { document }: Reference): Schema {
  const target = document.components.schemas[nameOf(schema.$ref)];
  if (target !== undefined) return resolve(target, { document } as Reference);
  const [first, ...others] = schema.allOf ?? [];
  if (first === undefined || others.length > 0) return schema;
  const base = resolve(first, { document } as Reference);
  return { ...base, required: [...(base.required ?? []), ...(schema.required ?? [])] };
}
