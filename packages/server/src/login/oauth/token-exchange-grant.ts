import { create } from "@bufbuild/protobuf";
import { ExchangeRequestSchema, SecurityTokenService } from "@wharf/contract";
import type { Methods } from "../../rpc/call.ts";
import { EndpointRequestInfo } from "../endpoint-call.ts";
import { invalidParameter, type OAuthGrant } from "./token-endpoint.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

/** Accepted types of subject tokens; all of them are JWTs. */
const SUBJECT_TYPES = [
  JWT,
  "urn:ietf:params:oauth:token-type:id_token",
  "urn:ietf:params:oauth:token-type:access_token",
];

/**
 * Token exchange (RFC 8693) for generic clients. The parameter `identity` selects the identity to
 * assume; OAuth scopes are capabilities.
 */
export function tokenExchangeGrant(methods: Methods): OAuthGrant {
  return async (form, request) => {
    const subjectType = form.get("subject_token_type") ?? "";
    if (!SUBJECT_TYPES.includes(subjectType))
      throw invalidParameter("subject_token_type", `must be one of ${SUBJECT_TYPES.join(", ")}`);
    if ((form.get("requested_token_type") ?? JWT) !== JWT)
      throw invalidParameter("requested_token_type", `must be ${JWT}`);
    if (!form.get("subject_token")) throw invalidParameter("subject_token", "is required");
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
    const authorization = `Bearer ${form.get("subject_token")}`;
    const info = new EndpointRequestInfo(request, "rest", authorization);
    const reply = await methods.call(method, message, info);
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
