import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { createJsonClient, type JsonMethod, overFetch } from "@wharf/client/json";
import { api, serviceOf } from "./client.ts";
import { accessToken, forgetToken } from "./session.ts";

/** Changes of the caller's credentials take the cookie of the session beside its token: a token alone changes none. */
const client = createJsonClient({
  baseUrl: "",
  token: accessToken,
  send: overFetch((url, init) => fetch(url, { ...init, credentials: "same-origin" })),
});

const method = <Input, Output = unknown>(path: string): JsonMethod<Input, Output> => ({
  verb: "POST",
  path: `/console/account/${path}`,
  body: "*",
});

const PASSKEY_OPTIONS = method<object, PasskeyOffer>("passkeys/options");

/** Options of WebAuthn for a new passkey, and the challenge that they contain. */
interface PasskeyOffer {
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly challengeId: string;
}

export const offerPasskey = (): Promise<PasskeyOffer> => client.call(PASSKEY_OPTIONS, {});

export const account = {
  changePassword: method<{ current: string; password: string; again: string }>("password"),
  addPasskey: method<{ challengeId: string; response: unknown; name: string }>("passkeys/add"),
  renamePasskey: method<{ id: string; name: string }>("passkeys/rename"),
  removePasskey: method<{ id: string }>("passkeys/remove"),
};

/** A change of the caller's credentials; afterwards, these and the sessions are read again. */
export function useAccountChange<Input>(
  change: JsonMethod<Input, unknown>,
): UseMutationResult<unknown, Error, Input> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (request: Input) => client.call(change, request),
    onSuccess: () => {
      // A new password has begun a new session.
      forgetToken();
      for (const read of [api.sessions.getCredentials, api.sessions.list]) {
        cache.invalidateQueries({ queryKey: [serviceOf(read)] });
      }
    },
  });
}
