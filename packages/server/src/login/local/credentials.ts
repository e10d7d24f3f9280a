import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { PersonCredentialsSchema } from "@wharf/contract";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { accountOf, passkeysOf } from "../../store/tables/login/local-accounts.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { sessionOf } from "../people/sessions-service.ts";
import { passkeySite } from "./passkeys.ts";

/**
 * The credentials of the caller. Only in a session of the local account: an identity provider does not vouch for
 * the account, and tokens without a session are not of people.
 */
export function credentialsMethod({
  access,
  catalog,
  store,
  addresses,
}: Pick<ExchangeDeps, "access" | "catalog" | "store" | "addresses">): Handler {
  return async ({ caller }) => {
    const { reader } = store;
    const session = await sessionOf(access, caller, reader);
    const isLocal = session?.provider === "";
    const account = isLocal ? await accountOf(reader, caller.uid) : undefined;
    const passkeys = account === undefined ? [] : await passkeysOf(reader, caller.uid);
    const provider = session?.provider
      ? await catalog.identityProviders.find(reader, session.provider)
      : undefined;
    const response = create(PersonCredentialsSchema, {
      username: account?.username ?? "",
      hasPassword: (account?.passwordHash ?? "") !== "",
      passkeys: passkeys.map(({ credentialId, name, created, used }) => ({
        id: credentialId,
        name,
        createTime: timestampFromMs(created),
        ...(used > created && { lastUsedTime: timestampFromMs(used) }),
      })),
      passkeyOrigin: passkeySite(addresses().authUrl)?.origin ?? "",
      identityProviderName: provider?.name ?? "",
    });
    return messageReply(PersonCredentialsSchema, response);
  };
}
