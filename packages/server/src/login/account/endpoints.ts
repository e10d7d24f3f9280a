/** Endpoints with which people change their own credentials on the account screen of the console. */
import type { Call } from "../../rpc/call.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import type { HttpEndpoint, HttpResponse } from "../../wire/endpoint.ts";
import { AttemptLimiter } from "../attempts.ts";
import { jsonResponse } from "../browser.ts";
import { ACCOUNT_PATH } from "../console/endpoints.ts";
import { BrowserCall } from "../endpoint-call.ts";
import { readScriptRequest, type ScriptRequest } from "../local/json-endpoint.ts";
import type { LoginDeps } from "../login.ts";
import { type AccountSession, requireAccountSession } from "./account-session.ts";
import {
  addAccountPasskey,
  passkeyCreationOptions,
  removePasskey,
  renameAccountPasskey,
} from "./passkeys.ts";
import { changePassword } from "./password.ts";

/** The requests of the account screen. Sessions are listed and ended by methods of the contract. */
export function accountEndpoints(deps: LoginDeps, exchange: ExchangeDeps): HttpEndpoint[] {
  const attempts = new AttemptLimiter(deps.limits);
  const endpoint = (path: string, work: Work): HttpEndpoint => ({
    method: "POST",
    path: `${ACCOUNT_PATH}/${path}`,
    isPage: true,
    async handle(http) {
      const call = new BrowserCall(http);
      const session = await requireAccountSession(deps, exchange, http, call.time);
      return work(call, session, await readScriptRequest(http));
    },
  });
  return [
    endpoint("password", async (call, session, { text }) => {
      await attempts.count("password", call.remoteAddress);
      const [current, password, again] = [text("current"), text("password"), text("again")];
      return jsonResponse(
        {},
        await changePassword(deps, call, session, { current, password, again }),
      );
    }),
    endpoint("passkeys/options", async (_call, session, request) =>
      jsonResponse(await passkeyCreationOptions(deps, session, request)),
    ),
    endpoint("passkeys/add", async (call, session, request) => {
      await addAccountPasskey(deps, call, session, request);
      return jsonResponse({});
    }),
    endpoint("passkeys/rename", async (call, session, { text }) => {
      await renameAccountPasskey(deps, call, session, text("id"), text("name"));
      return jsonResponse({});
    }),
    endpoint("passkeys/remove", async (call, session, { text }) => {
      await removePasskey(deps, call, session, text("id"));
      return jsonResponse({});
    }),
  ];
}

/** The work of an endpoint, for the person of the session. */
type Work = (call: Call, session: AccountSession, request: ScriptRequest) => Promise<HttpResponse>;
