import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { PersonCredentialsSchema } from "@wharf/contract";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { accountOf, passkeysOf } from "../../store/tables/login/local-accounts.ts";
import { sessionOf } from "./sessions-service.ts";

/**
 * What the caller can sign in with here. Only in a session of the local account: an identity provider does not vouch for
 * the account, and tokens without a session are not of people.
 */
export function credentialsMethod(deps: Pick<ResourceAccess, "access" | "store">): Handler {
  return async ({ caller }) => {
    const { reader } = deps.store;
    const session = await sessionOf(deps.access, caller, reader);
    const isLocal = session !== undefined && session.provider === "";
    const account = isLocal ? await accountOf(reader, caller.uid) : undefined;
    const passkeys = account === undefined ? [] : await passkeysOf(reader, caller.uid);
    const response = create(PersonCredentialsSchema, {
      username: account?.username ?? "",
      hasPassword: (account?.passwordHash ?? "") !== "",
      passkeys: passkeys.map(({ name, created, used }) => ({
        name,
        createTime: timestampFromMs(created),
        ...(used > created && { lastUsedTime: timestampFromMs(used) }),
      })),
    });
    return messageReply(PersonCredentialsSchema, response);
  };
}
