import type { DescMethod } from "@bufbuild/protobuf";
import { Auth, SecurityTokenService, SessionsService } from "@wharf/contract";
import type { Handler } from "../rpc/call.ts";
import type { ExchangeDeps } from "../sts/authorize-subject.ts";
import { headlessSessionMethod } from "./oauth/headless.ts";
import { refreshMethod } from "./oauth/refresh.ts";
import { credentialsMethod } from "./people/credentials.ts";
import { deleteAccountMethod } from "./people/delete-account.ts";
import { registerMethod } from "./people/register.ts";
import type { Sessions } from "./people/sessions.ts";
import { endSessionMethod, listSessionsMethod, logoutMethod } from "./people/sessions-service.ts";
import { validateMethod } from "./people/whoami.ts";

/** The methods of the contract that concern people: who they are, registration and sessions. */
export function loginHandlers(
  deps: ExchangeDeps,
  sessions: Sessions,
): Iterable<[DescMethod, Handler]> {
  const { engine } = deps;
  return [
    [SecurityTokenService.method.exchangeRefreshToken, refreshMethod(sessions)],
    [Auth.method.validate, validateMethod(engine)],
    [Auth.method.register, registerMethod(deps)],
    [Auth.method.getHeadlessSession, headlessSessionMethod(engine.store)],
    [Auth.method.delete, deleteAccountMethod(engine)],
    [SessionsService.method.listSessions, listSessionsMethod(engine)],
    [SessionsService.method.endSession, endSessionMethod(engine)],
    [SessionsService.method.getCredentials, credentialsMethod(engine)],
    [SessionsService.method.logout, logoutMethod(engine)],
  ];
}
