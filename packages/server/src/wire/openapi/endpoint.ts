import { createHash } from "node:crypto";
import type { Method } from "../../rpc/call.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { uncompressedEtag } from "../http-reply.ts";
import type { ApiDescription } from "./part.ts";

/** The document as it is sent. */
interface Rendered {
  readonly body: string;
  readonly etag: string;
}

const NO_DESCRIPTION: ApiDescription = { parts: async () => [], servers: () => ["/"] };

/**
 * Serves the OpenAPI document at /openapi.json. The document, and the comments of the contract, are loaded on first
 * use: few servers are ever asked for them.
 */
export function openApiEndpoint(
  methods: Iterable<Method>,
  endpoints: readonly HttpEndpoint[],
  description: ApiDescription = NO_DESCRIPTION,
): HttpEndpoint {
  let rendered: Promise<Rendered> | undefined;
  const self: HttpEndpoint = {
    method: "GET",
    path: "/openapi.json",
    async handle({ headers }) {
      rendered ??= render(methods, [...endpoints, self], description);
      const { body, etag } = await rendered;
      const common = { etag, "cache-control": "no-cache" };
      const known = headers["if-none-match"]?.split(",").map((tag) => uncompressedEtag(tag.trim()));
      if (known?.includes(etag)) return { status: 304, headers: common, body: "" };
      return { status: 200, headers: { ...common, "content-type": "application/json" }, body };
    },
  };
  return self;
}

async function render(
  methods: Iterable<Method>,
  endpoints: readonly HttpEndpoint[],
  description: ApiDescription,
): Promise<Rendered> {
  const { openApiDocument } = await import("./document.ts");
  const parts = await description.parts();
  const servers = description.servers();
  const body = JSON.stringify(openApiDocument({ methods, endpoints, parts, servers }));
  const hash = createHash("sha256").update(body).digest("base64url");
  return { body, etag: `"${hash}"` };
}
