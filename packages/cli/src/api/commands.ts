import { command, define } from "../command/definition.ts";

export const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;

export const apiDefinition = define({
  writes: true,
  name: "api",
  summary: "Call the REST API with your own token",
  description: `Prints the JSON of the response. PATH begins with a slash, such as /iam/v2beta1/groups. /openapi.json describes
all paths.`,
  examples: [
    { command: "wharf api GET /iam/v2beta1/groups --field page_size=10" },
    {
      command: "wharf api GET /iam/v2beta1/groups --paginate --jq '.groups | length'",
      shows: "all pages as one response",
    },
    {
      command: "wharf api POST /iam/v2beta1/groups/UID --field name=platform",
      shows: "a JSON body with the field name",
    },
    { command: "wharf api PATCH /iam/v2beta1/groups/UID --input group.json" },
  ],
  arguments: [
    { name: "method", summary: `HTTP method: ${METHODS.join(", ")}`, required: true },
    { name: "path", summary: "Path of the request, with its query", required: true },
  ],
  options: {
    field: {
      type: "list",
      repeatOnly: true,
      value: "NAME=TEXT",
      summary: "Query parameter of GET and DELETE, field of the JSON body of others; dots nest",
    },
    input: { type: "file", summary: "JSON body" },
    paginate: { type: "boolean", summary: "Request all pages of a list" },
  },
});

export const api = command(apiDefinition, () => import("./run.ts"));
