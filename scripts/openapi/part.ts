/** A JSON schema, or another object of an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Operations by HTTP method in lower case. */
export type PathItem = Readonly<Record<string, Schema>>;

/** The OpenAPI description of an area's endpoints beside the contract. */
export interface ApiPart {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Operations by path template. The variables of a template may be below the prefix of an endpoint. */
  readonly paths: Readonly<Record<string, PathItem>>;
  /** Schemas that the operations refer to, by name. */
  readonly schemas?: Readonly<Record<string, Schema>>;
}

/** A body or response of one media type. */
export function content(schema: Schema, mediaType = "application/json", example?: unknown): Schema {
  return {
    [mediaType]: { schema, ...(example === undefined ? undefined : { example }) },
  };
}

export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function text(description: string): Schema {
  return { type: "string", description };
}

export function responseRef(name: string): Schema {
  return { $ref: `#/components/responses/${name}` };
}

/** A parameter of an endpoint: a text, unless `schema` says otherwise. */
export function parameter(
  place: "query" | "path" | "header",
  name: string,
  description: string,
  more: { readonly required?: boolean; readonly schema?: Schema; readonly example?: unknown } = {},
): Schema {
  const { required = place === "path", schema = { type: "string" }, example } = more;
  return {
    name,
    in: place,
    ...(required && { required }),
    description,
    schema,
    ...(example !== undefined && { example }),
  };
}
