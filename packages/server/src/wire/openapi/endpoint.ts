import { createHash } from "node:crypto";
import type { Method } from "../../rpc/call.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { openApiDocument } from "./document.ts";

/** Serves the OpenAPI document at /openapi.json. It is built on first use. */
export function openApiEndpoint(methods: Iterable<Method>): HttpEndpoint {
  let made: { body: string; etag: string } | undefined;
  return {
    method: "GET",
    path: "/openapi.json",
    async handle({ headers }) {
      made ??= make(methods);
      const { body, etag } = made;
      const common = { etag, "cache-control": "no-cache" };
      if (headers["if-none-match"] === etag) return { status: 304, headers: common, body: "" };
      return { status: 200, headers: { ...common, "content-type": "application/json" }, body };
    },
  };
}

function make(methods: Iterable<Method>): { body: string; etag: string } {
  const body = JSON.stringify(openApiDocument(methods));
  const hash = createHash("sha256").update(body).digest("base64url");
  return { body, etag: `"${hash}"` };
}
