import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ExchangeRefreshTokenRequest,
  type RawToken,
  RawTokenSchema,
  TokenPairSchema,
} from "@wharf/contract";
import { requireBearer } from "../../lib/bearer.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { scopesOf } from "../../sts/down-scope.ts";
import type { IssuedToken, Sessions } from "../people/sessions.ts";

/** Exchanges a refresh token for the next access and refresh token. */
export function refreshMethod(sessions: Sessions): Handler {
  return async (call, message) => {
    const request = message as ExchangeRefreshTokenRequest;
    const tokenRequest = {
      audiences: request.aud,
      scopes: scopesOf(request),
      capabilities: request.cap,
    };
    const text = requireBearer(call.authorization, "the refresh token");
    const { access, refresh } = await sessions.refresh(call, text, tokenRequest);
    const pair = create(TokenPairSchema, { token: rawToken(access) });
    if (refresh !== undefined) pair.refreshToken = rawToken(refresh);
    return messageReply(TokenPairSchema, pair);
  };
}

function rawToken({ token, expires }: IssuedToken): RawToken {
  return create(RawTokenSchema, { token, expiry: timestampFromMs(expires) });
}
