import { create } from "@bufbuild/protobuf";
import { ExchangeRequestSchema, SecurityTokenService } from "@wharf/contract";
import type { Methods } from "../../rpc/call.ts";
import { badField, type Grant } from "./token-endpoint.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

/** What a presented token may be called; all of them are JWTs. */
const SUBJECT_TYPES = [
  JWT,
  "urn:ietf:params:oauth:token-type:id_token",
  "urn:ietf:params:oauth:token-type:access_token",
];

/** As long as any request may take. */
const LONGEST_MS = 30_000;

/**
 * Token exchange as RFC 8693 has it, for clients that know nothing of ours. The identity to become
 * is the parameter `identity`; a scope is a capability.
 */
export function tokenExchangeGrant(methods: Methods): Grant {
  return async (form, request) => {
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
  };
}
