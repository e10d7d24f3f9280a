/** The OpenAPI document of the server: the parts that the reference shows. */

const FORM = "application/x-www-form-urlencoded";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly readOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  /** Alias of a path variable in this operation; others call it `name`. */
  readonly "x-displayName"?: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<
    Record<string, { readonly $ref?: string; readonly value?: unknown }>
  >;
}

type Content = Readonly<Record<string, Media>>;

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

interface Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
  };
}

/** An operation with the parts that it refers to. */
export interface Operation extends Described {
  readonly verb: string;
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Reference {
  readonly document: OpenApi;
  readonly operations: readonly Operation[];
  /** By the name of the group, in the order of the document. */
  readonly groups: ReadonlyMap<string, readonly Operation[]>;
}

/** Prepares a document for the pages. */
export function readDocument(document: OpenApi): Reference {
  const { parameters = {}, responses = {} } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]): Operation => {
      const resolved = (operation.parameters ?? []).map(
        (one) => parameters[nameOf(one.$ref)] ?? one,
      );
      const answers = Object.entries(operation.responses ?? {}).map(
        ([status, one]) => [status, responses[nameOf(one.$ref)] ?? one] as const,
      );
      return {
        ...operation,
        verb: verb.toUpperCase(),
        path: resolved.reduce(withDisplayName, path),
        tag: operation.tags?.[0] ?? "",
        parameters: resolved.map(({ "x-displayName": name, ...one }) => ({
          ...one,
          name: name ?? one.name,
        })),
        responses: Object.fromEntries(answers),
      };
    }),
  );
  const order = new Map(document.tags?.map(({ name }, at) => [name, at]));
  const groups = [...Map.groupBy(operations, ({ tag }) => tag)].sort(
    ([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0),
  );
  return { document, operations, groups: new Map(groups) };
}

function withDisplayName(path: string, { name, "x-displayName": shown = name }: Parameter): string {
  return path.replace(`{${name}}`, `{${shown}}`);
}

/** The last part of a reference: the name of what it refers to. */
export function nameOf(ref: string | undefined): string {
  return ref?.split("/").at(-1) ?? "";
}

/** The content of a request or response as JSON or, failing that, the first there is. */
export function contentOf(content: Content | undefined) {
  const [first] = Object.keys(content ?? {});
  const type = content?.["application/json"] === undefined ? first : "application/json";
  return type === undefined ? undefined : { type, ...content?.[type] };
}

/** An example as text: JSON, or a form as it is sent. */
export function exampleText({ type, example }: { type: string; example?: unknown }): string {
  if (example === undefined || typeof example === "string") return example ?? "";
  if (type !== FORM) return JSON.stringify(example, null, 2);
  const pairs = Object.entries(example as Readonly<Record<string, string | readonly string[]>>);
  const fields = pairs.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return new URLSearchParams(fields).toString();
}

/** Examples of errors by reason. */
export function errorExamples({ content }: Response, { document }: Reference): [string, unknown][] {
  const { examples = {} } = contentOf(content) ?? {};
  return Object.entries(examples).map(([reason, { $ref, value }]) => [
    reason,
    value ?? document.components.examples?.[nameOf($ref)]?.value,
  ]);
}

/** Operations of version 1 come after those that replace them. */
function isOld({ operationId }: Operation): boolean {
  return operationId.startsWith("V1_");
}

/** Search results: operations, then schemas. */
export function search(reference: Reference, text: string): readonly (Operation | string)[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (content: string) => words.every((word) => content.toLowerCase().includes(word));
  const operations = reference.operations
    .filter(({ verb, path, summary, operationId, tag }) =>
      has([verb, path, summary, operationId, tag].join(" ")),
    )
    .sort((one, other) => Number(isOld(one)) - Number(isOld(other)));
  const schemas = Object.keys(reference.document.components.schemas).filter(has);
  return [...operations, ...schemas];
}
