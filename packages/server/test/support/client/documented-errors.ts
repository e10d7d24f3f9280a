/** The errors that the OpenAPI document lists, by operation: every error that the clients of tests get must be there. */
import type { DescMethod } from "@bufbuild/protobuf";
import document from "@wharf/contract/openapi.json" with { type: "json" };
import type { ApiError } from "./api-error.ts";

// biome-ignore lint/suspicious/noExplicitAny: a JSON document.
type Json = any;

/** Any path may answer with these: to clients that have gone, for what a server lacks, to malformed URLs, after damage. */
const ANYWHERE = ["CANCELLED", "DATA_LOSS", "UNIMPLEMENTED", "UNSUPPORTED", "invalidPath"];

interface Documented {
  readonly verb: string;
  readonly path: RegExp;
  /** The service and the method, where the operation is one. */
  readonly method: string;
  readonly reasons: ReadonlySet<string>;
}

const OPERATIONS = Object.entries<Json>(document.paths)
  .sort(([a], [b]) => b.length - a.length)
  .flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([verb, { operationId, responses }]): Documented => {
      const reasons = Object.values<Json>(responses).flatMap(
        (response) => resolved(response)["x-reasons"] ?? [],
      );
      return {
        verb: verb.toUpperCase(),
        path: new RegExp(`^${path.replace(/\{[^}]+\}/g, "(.+)")}/?$`),
        method: /^(?:V1_)?\w+?_[^_]+/.exec(operationId)?.[0] ?? "",
        reasons: new Set([...reasons, ...ANYWHERE]),
      };
    }),
  );

/** By method: a method may have several operations. */
const REASONS = Map.groupBy(OPERATIONS, ({ method }) => method);

/** Throws if the document lists the method without this error. */
export function mustBeDocumented(
  { name, parent }: DescMethod,
  { reason, message }: ApiError,
): void {
  const version = /\.v1\./.test(parent.typeName) ? "V1_" : "";
  const operations = REASONS.get(`${version}${parent.name}_${name}`);
  if (reason === "" || operations === undefined) return;
  if (operations.some(({ reasons }) => reasons.has(reason))) return;
  throw new Error(
    `${parent.name}/${name} does not document ${reason} (${message}): see scripts/openapi/reasons.ts`,
  );
}

/** The same for an endpoint beside the methods, and the reason that its protocol has. */
export function mustBeDocumentedAt(verb: string, target: string, reason: unknown): void {
  const [path = ""] = target.split("?");
  const found = OPERATIONS.find((one) => one.verb === verb && one.path.test(path));
  if (typeof reason !== "string" || found === undefined || found.reasons.has(reason)) return;
  throw new Error(`${verb} ${path} does not document ${reason}: see scripts/openapi/endpoints`);
}

function resolved(response: Json): Json {
  const name = response.$ref?.split("/").at(-1);
  return name === undefined ? response : (document.components.responses as Json)[name];
}
