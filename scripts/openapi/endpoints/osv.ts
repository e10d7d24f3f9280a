import { type ApiPart, parameter, responseRef, type Schema } from "../part.ts";
import { COMMON_ERRORS } from "../responses.ts";

const JSON_TYPE = "application/json";

/** Public advisories need no credentials. */
const SECURITY = [{}, { bearer: [] }, { basic: [] }];

const TEXT = { type: "string" };

const QUERY: Schema = {
  type: "object",
  properties: {
    version: {
      ...TEXT,
      description: "Version of the package, unless the purl has it. All by default.",
    },
    package: {
      type: "object",
      description: "Name and ecosystem, or a purl.",
      properties: {
        name: {
          ...TEXT,
          description: "Name in the ecosystem; of a distribution, that of its records.",
        },
        ecosystem: {
          ...TEXT,
          description: "Ecosystem, such as npm, with a release, such as Alpine:v3.20.",
        },
        purl: {
          ...TEXT,
          description: "Package URL. Its qualifiers name the release and the source package.",
        },
      },
    },
    page_token: { ...TEXT, description: "`next_page_token` of the answer before." },
  },
};

const PAGE = { next_page_token: { ...TEXT, description: "Set if there are more records." } };

const RECORD: Schema = {
  type: "object",
  description: "OSV record, see https://ossf.github.io/osv-schema/.",
};

const ERROR = { $ref: "#/components/schemas/Status" };

function operation(
  id: string,
  summary: string,
  description: string,
  answer: Schema,
  more: Schema,
): Schema {
  return {
    operationId: id,
    summary,
    description,
    tags: ["OSV"],
    security: SECURITY,
    ...more,
    responses: {
      "200": { description: "The answer.", content: { [JSON_TYPE]: { schema: answer } } },
      "400": { description: "The query is invalid.", content: { [JSON_TYPE]: { schema: ERROR } } },
      "401": responseRef("Unauthenticated"),
      "404": responseRef("NotFound"),
      ...COMMON_ERRORS,
    },
  };
}

const list = (items: Schema, more: Readonly<Record<string, Schema>> = {}): Schema => ({
  type: "object",
  properties: { vulns: { type: "array", items, description: "Records, by id." }, ...more },
});

function body(schema: Schema): Schema {
  return { requestBody: { required: true, content: { [JSON_TYPE]: { schema } } } };
}

const REFERENCE: Schema = {
  type: "object",
  properties: {
    id: { ...TEXT, description: "Id of the record." },
    modified: { ...TEXT, format: "date-time", description: "When it was modified." },
  },
};

/** The query API of osv.dev. */
export const OSV_PART: ApiPart = {
  tags: [
    {
      name: "OSV",
      description:
        "The query API of osv.dev over the advisories that the caller may list, for clients that know it.",
    },
  ],
  paths: {
    "/v1/query": {
      post: operation(
        "osvQuery",
        "Query by package",
        "The records of a package, or of one of its versions. An answer without records is empty. Queries by commit are not supported.",
        list(RECORD, PAGE),
        body(QUERY),
      ),
    },
    "/v1/querybatch": {
      post: operation(
        "osvQueryBatch",
        "Query by packages",
        "Answers up to 1,000 queries, in their order, with the ids of records and when they were modified.",
        {
          type: "object",
          properties: {
            results: {
              type: "array",
              items: list(REFERENCE, PAGE),
              description: "In the order of the queries.",
            },
          },
        },
        body({
          type: "object",
          properties: {
            queries: { type: "array", items: QUERY, description: "Up to 1,000 queries." },
          },
        }),
      ),
    },
    "/v1/vulns/{id}": {
      get: operation("osvGetVulnerability", "Get a record", "One record, by its id.", RECORD, {
        parameters: [parameter("path", "id", "Id of the record.")],
      }),
    },
  },
};
