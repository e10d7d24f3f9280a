import { useEffect } from "react";
import { docsTexts } from "../texts/docs.ts";
import type { Reference, Schema } from "./document.ts";
import { Verb } from "./operation.tsx";
import { Prose } from "./prose.tsx";
import { linkTo } from "./route.ts";
import { Fields } from "./schema.tsx";

/** One schema, and the operations that use it. */
export function SchemaPage({
  name,
  schema,
  reference,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly reference: Reference;
}) {
  useEffect(() => {
    document.title = `${name} – ${docsTexts.title}`;
  }, [name]);
  const ref = JSON.stringify({ $ref: `#/components/schemas/${name}` }).slice(1, -1);
  const users = reference.operations.filter((one) => JSON.stringify(one).includes(ref));
  return (
    <article>
      <h1>{name}</h1>
      <Prose text={schema.description} />
      {schema.enum !== undefined && (
        <p>
          {docsTexts.values}: <code>{schema.enum.map(String).join(", ")}</code>
        </p>
      )}
      {schema.properties !== undefined && (
        <Fields schema={schema} reference={reference} label={docsTexts.fields(name)} />
      )}
      {users.length > 0 && (
        <section aria-labelledby="used">
          <h2 id="used">{docsTexts.usedBy}</h2>
          <ul className="used">
            {users.map(({ operationId, verb, path }) => (
              <li key={operationId}>
                <Verb verb={verb} />{" "}
                <a {...linkTo({ kind: "operation", name: operationId })}>{path}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </article>
  );
}
