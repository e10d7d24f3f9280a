import { useEffect, useState } from "react";
import { docsTexts } from "../texts/docs.ts";
import { Failed, Loading } from "../ui/feedback.tsx";
import { Logo } from "../ui/icons.tsx";
import { type OpenApi, type Reference, readDocument } from "./document.ts";
import { Navigation } from "./navigation.tsx";
import { OperationPage, Verb } from "./operation.tsx";
import { Prose } from "./prose.tsx";
import { linkTo, useRoute } from "./route.ts";
import { SchemaPage } from "./schema-page.tsx";

/** The reference of the API, from the document that the server makes of its own routes. */
export function App() {
  const [reference, setReference] = useState<Reference>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    load().then(setReference, setError);
  }, []);
  return (
    <div className="shell docs">
      <a className="skip-link" href="#content">
        {docsTexts.skip}
      </a>
      <header className="top">
        <a {...linkTo({ kind: "overview", name: "" })} className="brand">
          <Logo />
          <span>Wharf</span>
          <span className="soft">{docsTexts.title}</span>
        </a>
        <a href="/openapi.json" className="button quiet specification">
          {docsTexts.specification}
        </a>
        <a href="/console/" className="button quiet">
          {docsTexts.console}
        </a>
      </header>
      {reference !== undefined && <Navigation reference={reference} />}
      <main id="content" tabIndex={-1}>
        {error !== undefined && <Failed error={error} />}
        {error === undefined && reference === undefined && <Loading />}
        {reference !== undefined && <Content reference={reference} />}
      </main>
    </div>
  );
}

async function load(): Promise<Reference> {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return readDocument((await response.json()) as OpenApi);
}

function Content({ reference }: { readonly reference: Reference }) {
  const { kind, name } = useRoute();
  const { document, operations } = reference;
  if (kind === "overview") return <Overview reference={reference} />;
  const operation = operations.find(({ operationId }) => operationId === name);
  if (kind === "operation" && operation !== undefined) {
    return <OperationPage operation={operation} reference={reference} />;
  }
  const schema = document.components.schemas[name];
  if (kind === "schema" && schema !== undefined) {
    return <SchemaPage name={name} schema={schema} reference={reference} />;
  }
  return (
    <article>
      <h1>{docsTexts.notFound}</h1>
      <p>{docsTexts.notFoundText}</p>
    </article>
  );
}

function Overview({ reference: { document: api, groups } }: { readonly reference: Reference }) {
  useEffect(() => {
    document.title = `${docsTexts.title} – Wharf`;
  }, []);
  const described = new Map(api.tags?.map(({ name, description }) => [name, description]));
  return (
    <article className="overview">
      <h1>{docsTexts.title}</h1>
      <Prose text={api.info.description} />
      <p>
        <a href="/openapi.json">{docsTexts.specification}</a>
      </p>
      {[...groups].map(([tag, operations]) => (
        <section key={tag} aria-label={tag}>
          <h2>{tag}</h2>
          <Prose text={described.get(tag)} />
          <ul className="used">
            {operations.map(({ operationId, verb, path, summary }) => (
              <li key={operationId}>
                <Verb verb={verb} />
                <a {...linkTo({ kind: "operation", name: operationId })}>{path}</a>
                <span className="soft">{summary}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
}
