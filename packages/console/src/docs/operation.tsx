import { useEffect, useState } from "react";
import { docsTexts } from "../texts/docs.ts";
import { Code } from "../ui/code.tsx";
import {
  contentOf,
  errorExamples,
  exampleText,
  type Operation,
  type Reference,
  type Response,
} from "./document.ts";
import { Inline, Prose } from "./prose.tsx";
import { Fields, TypeName } from "./schema.tsx";
import { type Snippets, snippetsOf } from "./snippets.ts";
import { TryIt } from "./try-it.tsx";

/** One operation: what it takes and returns, how it is called, and a form that calls it. */
export function OperationPage({
  operation,
  reference,
}: {
  readonly operation: Operation;
  readonly reference: Reference;
}) {
  const { verb, path, summary = "", description, deprecated, tag } = operation;
  useEffect(() => {
    document.title = `${summary} – ${docsTexts.title}`;
  }, [summary]);
  const request = contentOf(operation.requestBody?.content);
  const statuses = Object.entries(operation.responses);
  const success = statuses.filter(([status]) => status.startsWith("2"));
  const errors = statuses.filter(([status]) => !status.startsWith("2"));
  return (
    <article className="operation">
      <div>
        <p className="soft">{tag}</p>
        <h1>{summary}</h1>
        <p className="route">
          <Verb verb={verb} /> <code>{path}</code>{" "}
          {deprecated && <span className="badge bad">{docsTexts.deprecated}</span>}
        </p>
        <Prose text={description} />
        <p className="soft">
          {docsTexts.needs}: {securityOf(operation)}
        </p>
        <Parameters operation={operation} />
        {request?.schema !== undefined && (
          <section aria-labelledby="body">
            <h2 id="body">
              {docsTexts.body} <TypeName schema={request.schema} />
            </h2>
            <Fields schema={request.schema} reference={reference} label={docsTexts.body} />
          </section>
        )}
        {success.map(([status, response]) => (
          <Answer key={status} status={status} response={response} reference={reference} />
        ))}
        <Errors errors={errors} reference={reference} />
      </div>
      <div className="beside">
        <SnippetTabs snippets={snippetsOf(operation, window.location.origin)} />
        <ExampleAnswer response={success[0]?.[1]} />
        <TryIt key={operation.operationId} operation={operation} />
      </div>
    </article>
  );
}

export function Verb({ verb }: { readonly verb: string }) {
  return <span className={`verb ${verb.toLowerCase()}`}>{verb}</span>;
}

function securityOf({ security = [] }: Operation): string {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.length === 0) return docsTexts.security.none ?? "";
  return names.map((name) => docsTexts.security[name] ?? name).join(", ");
}

function Parameters({ operation: { parameters } }: { readonly operation: Operation }) {
  if (parameters.length === 0) return null;
  return (
    <section aria-labelledby="parameters">
      <h2 id="parameters">{docsTexts.parameters}</h2>
      <ul className="fields" aria-label={docsTexts.parameters}>
        {parameters.map(({ name, in: where, description, required, schema = {} }) => (
          <li key={`${where} ${name}`}>
            <p>
              <code className="field-name">{name}</code>{" "}
              <span className="type-name">
                {where}, <TypeName schema={schema} />
              </span>{" "}
              {required && <span className="badge bad">{docsTexts.required}</span>}
            </p>
            <p className="soft">
              <Inline text={description} />
            </p>
            {schema.enum !== undefined && (
              <p className="soft">
                {docsTexts.values}: <code>{schema.enum.map(String).join(", ")}</code>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Answer({
  status,
  response,
  reference,
}: {
  readonly status: string;
  readonly response: Response;
  readonly reference: Reference;
}) {
  const content = contentOf(response.content);
  const id = `response-${status}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {status} {response.description}{" "}
        {content?.schema !== undefined && <TypeName schema={content.schema} />}
      </h2>
      {content !== undefined && <p className="soft">{content.type}</p>}
      {content?.schema !== undefined && (
        <Fields schema={content.schema} reference={reference} label={docsTexts.responses} />
      )}
    </section>
  );
}

function Errors({
  errors,
  reference,
}: {
  readonly errors: readonly (readonly [string, Response])[];
  readonly reference: Reference;
}) {
  if (errors.length === 0) return null;
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">{docsTexts.errors}</h2>
      <ul className="fields">
        {errors.map(([status, response]) => (
          <li key={status}>
            <p>
              <code className="field-name">{status}</code>
            </p>
            <Prose text={response.description} />
            {errorExamples(response, reference).map(([reason, example]) => (
              <details key={reason}>
                <summary>{docsTexts.exampleOf(reason)}</summary>
                <Code text={JSON.stringify(example, null, 2)} />
              </details>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExampleAnswer({ response }: { readonly response: Response | undefined }) {
  const content = contentOf(response?.content);
  if (content?.example === undefined) return null;
  return (
    <section aria-labelledby="example">
      <h2 id="example">{docsTexts.example}</h2>
      <Code text={exampleText(content)} />
    </section>
  );
}

function SnippetTabs({ snippets }: { readonly snippets: Snippets }) {
  const [chosen, setChosen] = useState<keyof Snippets>("curl");
  const names = Object.keys(snippets) as (keyof Snippets)[];
  const shown = snippets[chosen] === undefined ? "curl" : chosen;
  return (
    <section aria-label={docsTexts.examples}>
      <div className="choices">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            className="button quiet small"
            aria-pressed={name === shown}
            onClick={() => setChosen(name)}
          >
            {docsTexts.tools[name]}
          </button>
        ))}
      </div>
      <Code text={snippets[shown] ?? ""} />
    </section>
  );
}
