import { create } from "@bufbuild/protobuf";
import {
  AccountAssociationsService,
  AccountProviderType,
  type CheckAccountAssociationRequest,
  CheckAccountAssociationResponseSchema,
  CheckStatus,
} from "@wharf/contract";
import type { SigningKeys } from "../auth/keys.ts";
import { issueToken } from "../auth/token.ts";
import type { Addresses } from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import { audit } from "../engine/audit/audit.ts";
import { accountAssociations } from "../iam/account-associations.ts";
import { invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Store } from "../store/db/store.ts";
import type { Api } from "../wire/api.ts";
import { tryAmazon } from "./amazon.ts";
import { tryAzure } from "./azure.ts";
import type { Attempt, CredentialCheck } from "./exchange.ts";
import { tryGoogle } from "./google.ts";

export interface CheckDeps {
  readonly settings: Settings;
  readonly store: Store;
  readonly keys: SigningKeys;
  addresses(): Addresses;
}

/** Providers verify the token immediately. */
const TOKEN_LIFETIME_MS = 5 * 60_000;

const PROVIDERS: Readonly<Record<number, (attempt: Attempt) => Promise<CredentialCheck>>> = {
  [AccountProviderType.GOOGLE]: tryGoogle,
  [AccountProviderType.AMAZON]: tryAmazon,
  [AccountProviderType.AZURE]: tryAzure,
};

export function registerClouds(api: Api, deps: CheckDeps): void {
  api.handlers.bind(AccountAssociationsService.method.checkAccountAssociation, checkMethod(deps));
}

/**
 * The handler of CheckAccountAssociation: tries to get credentials from a provider. It is audited,
 * because it sends a token to a third party.
 */
function checkMethod({ settings, store, keys, addresses }: CheckDeps): Handler {
  return async (call, message) => {
    const { uid, providerType } = message as CheckAccountAssociationRequest;
    const attempt = PROVIDERS[providerType];
    if (attempt === undefined) {
      const description = "providerType must be a known provider";
      throw invalidArgument({ field: "providerType", description });
    }
    const association = await accountAssociations.find(store.reader, uid);
    if (association === undefined) throw notFound(accountAssociations.typeName, uid);
    const outcome = await attempt({
      traceparent: call.traceparent,
      association,
      settings,
      sign: async (audience) => {
        const subject = `account-association:${uid}`;
        const expires = call.time + TOKEN_LIFETIME_MS;
        const content = { subject, audiences: [audience], expires, boundary: undefined };
        return (await issueToken(keys, addresses(), content, call.time)).token;
      },
    });
    const provider = AccountProviderType[providerType];
    const detail = { provider, ...outcome };
    await store.write((tx) => audit(tx, call, { resource: uid, detail }));
    return messageReply(CheckAccountAssociationResponseSchema, responseOf(outcome));
  };
}

function responseOf(outcome: CredentialCheck) {
  if (outcome.ready) {
    return create(CheckAccountAssociationResponseSchema, { status: CheckStatus.READY });
  }
  const { reason, message } = outcome;
  return create(CheckAccountAssociationResponseSchema, {
    status: CheckStatus.NOT_READY,
    reason,
    message,
  });
}
