import type { DescMethod } from "@bufbuild/protobuf";
import { Auth, SecurityTokenService, SessionsService } from "@wharf/contract";
import type { Handler } from "../rpc/call.ts";
import type { ExchangeParts } from "../sts/entitlement.ts";
import { deleteAccountMethod } from "./delete-account.ts";
import { headlessSessionMethod } from "./headless.ts";
import { refreshMethod } from "./refresh.ts";
import { registerMethod } from "./register.ts";
import type { Sessions } from "./sessions.ts";
import { endSessionMethod, listSessionsMethod, logoutMethod } from "./sessions-service.ts";
import { validateMethod } from "./whoami.ts";

/**
 * The methods of the contract that concern people: who am I, coming, staying and going.
 *
 * @example for (const [method, handler] of loginHandlers(parts, sessions)) …
 */
export function loginHandlers(
  parts: ExchangeParts,
  sessions: Sessions,
): Iterable<[DescMethod, Handler]> {
  const { engine } = parts;
  return [
    [SecurityTokenService.method.exchangeRefreshToken, refreshMethod(sessions)],
    [Auth.method.validate, validateMethod(engine)],
    [Auth.method.register, registerMethod(parts)],
    [Auth.method.getHeadlessSession, headlessSessionMethod(engine)],
    [Auth.method.delete, deleteAccountMethod(engine)],
    [SessionsService.method.listSessions, listSessionsMethod(engine)],
    [SessionsService.method.endSession, endSessionMethod(engine)],
    [SessionsService.method.logout, logoutMethod(engine)],
  ];
}
