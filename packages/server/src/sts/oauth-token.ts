import { create } from "@bufbuild/protobuf";
import { ExchangeRequestSchema, SecurityTokenService } from "@wharf/contract";
import { invalidArgument, WharfError } from "../errors.ts";
import type { Methods } from "../rpc/call.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";

const PATH = "/oauth/token";
const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

/** What a presented token may be called; all of them are JWTs. */
const SUBJECT_TYPES = [
  JWT,
  "urn:ietf:params:oauth:token-type:id_token",
  "urn:ietf:params:oauth:token-type:access_token",
];

/** A form holds two tokens at most. */
const MOST_BYTES = 64 * 1024;

/**
 * Token exchange as RFC 8693 has it, for clients that know nothing of ours. The identity to become
 * is the parameter `identity`; a scope is a capability.
 *
 * @example endpoints.push(oauthTokenEndpoint(methods));
 */
export function oauthTokenEndpoint(methods: Methods): HttpEndpoint {
  return {
    method: "POST",
    path: PATH,
    async handle(request) {
      try {
        return answer(200, await exchange(methods, request));
      } catch (thrown) {
        return refusal(WharfError.from(thrown));
      }
    },
  };
}

async function exchange(methods: Methods, request: HttpRequest): Promise<object> {
  const form = new URLSearchParams((await request.body(MOST_BYTES)).toString("utf8"));
  if (form.get("grant_type") !== GRANT)
    throw new OAuthError("unsupported_grant_type", `grant_type must be ${GRANT}`);
  const subjectType = form.get("subject_token_type") ?? "";
  if (!SUBJECT_TYPES.includes(subjectType))
    throw badField("subject_token_type", `must be one of ${SUBJECT_TYPES.join(", ")}`);
  if ((form.get("requested_token_type") ?? JWT) !== JWT)
    throw badField("requested_token_type", `must be ${JWT}`);
  if (!form.get("subject_token")) throw badField("subject_token", "is required");
  const method = methods.find(
    `/${SecurityTokenService.typeName}/${SecurityTokenService.method.exchange.name}`,
  );
  if (method === undefined) throw new Error("the exchange is not served");
  const scopes = (form.get("scope") ?? "").split(" ").filter(Boolean);
  const message = create(ExchangeRequestSchema, {
    aud: [...form.getAll("audience"), ...form.getAll("resource")],
    identity: form.get("identity") ?? "",
    identityProvider: form.get("identity_provider") ?? "",
    scopes: form.getAll("scopes"),
    cap: scopes,
  });
  const reply = await methods.call(method, message, {
    requestId: request.requestId,
    authorization: `Bearer ${form.get("subject_token")}`,
    format: "json",
    remoteAddress: request.remoteAddress,
    userAgent: request.headers["user-agent"] ?? "",
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  const { token, expiry } = JSON.parse(reply.json()) as { token: string; expiry: string };
  return {
    access_token: token,
    issued_token_type: JWT,
    token_type: "Bearer",
    expires_in: Math.max(0, Math.floor((Date.parse(expiry) - Date.now()) / 1000)),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
  };
}

/** As long as any request may take. */
const LONGEST_MS = 30_000;

/** An error that OAuth has a word of its own for. */
class OAuthError extends WharfError {
  readonly word: string;

  constructor(word: string, text: string) {
    super("INVALID_ARGUMENT", text);
    this.word = word;
  }
}

function badField(field: string, description: string): WharfError {
  return invalidArgument({ field, description: `${field} ${description}` });
}

function refusal(error: WharfError): HttpResponse {
  if (error.code === "INTERNAL") throw error;
  const byCode: Record<string, string> = {
    PERMISSION_DENIED: "invalid_grant",
    UNAUTHENTICATED: "invalid_grant",
    UNAVAILABLE: "temporarily_unavailable",
  };
  const word = error instanceof OAuthError ? error.word : (byCode[error.code] ?? "invalid_request");
  const status = error.code === "UNAVAILABLE" ? 503 : 400;
  return answer(status, { error: word, error_description: error.message });
}

function answer(status: number, body: object): HttpResponse {
  return {
    status,
    headers: { "cache-control": "no-store", pragma: "no-cache" },
    body: JSON.stringify(body),
  };
}
