import type { DescMethod } from "@bufbuild/protobuf";
import { Auth, SecurityTokenService, SessionsService } from "@wharf/contract";
import type { ListDeps } from "../engine/list/lists.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import type { Handler } from "../rpc/call.ts";
import type { ExchangeDeps } from "../sts/authorize-subject.ts";
import { credentialsMethod } from "./local/credentials.ts";
import { headlessSessionMethod } from "./oauth/headless.ts";
import { refreshMethod } from "./oauth/refresh.ts";
import { deleteAccountMethod } from "./people/delete-account.ts";
import { registerMethod } from "./people/register.ts";
import type { Sessions } from "./people/sessions.ts";
import { endSessionMethod, listSessionsMethod, logoutMethod } from "./people/sessions-service.ts";
import { validateMethod } from "./people/whoami.ts";

/** The methods of the contract that concern people: who they are, registration and sessions. */
export function loginHandlers(
  deps: WriteDeps & ListDeps & ExchangeDeps,
  sessions: Sessions,
): Iterable<[DescMethod, Handler]> {
  return [
    [SecurityTokenService.method.exchangeRefreshToken, refreshMethod(sessions)],
    [Auth.method.validate, validateMethod(deps)],
    [Auth.method.register, registerMethod(deps)],
    [Auth.method.getHeadlessSession, headlessSessionMethod(deps.store)],
    [Auth.method.delete, deleteAccountMethod(deps)],
    [SessionsService.method.listSessions, listSessionsMethod(deps)],
    [SessionsService.method.endSession, endSessionMethod(deps)],
    [SessionsService.method.getCredentials, credentialsMethod(deps)],
    [SessionsService.method.logout, logoutMethod(deps)],
  ];
}
