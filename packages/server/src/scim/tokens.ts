import { randomBytes } from "node:crypto";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import {
  type Duration,
  durationFromMs,
  durationMs,
  type Timestamp,
  timestampFromMs,
  timestampMs,
} from "@bufbuild/protobuf/wkt";
import {
  type GenerateScimTokenRequest,
  GenerateScimTokenResponseSchema,
  type IdentityProvider,
  IdentityProvidersService,
  type RegenerateScimTokenRequest,
  RegenerateScimTokenResponseSchema,
  type RevokeScimTokenRequest,
  RevokeScimTokenResponseSchema,
  rootOf,
  type SetScimEnabledRequest,
  SetScimEnabledResponseSchema,
} from "@wharf/contract";
import { audit } from "../engine/audit/audit.ts";
import { withoutSecrets } from "../engine/resource.ts";
import { Mutation } from "../engine/write/mutation.ts";
import { checkProviderGrantable } from "../iam/granting.ts";
import { ownersOf } from "../iam/owners.ts";
import { aborted, failedPrecondition, invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import {
  readScimCredentials,
  type ScimCredentials,
  writeScimCredentials,
} from "../store/tables/scim/credentials.ts";
import { endpointUrl, etagOf, isPast, type ScimDeps, scimTokenHash, timeField } from "./status.ts";

/** The prefix by which clients and secret scanners recognize these tokens. */
const PREFIX = "cgscim_";
const TOKEN_BYTES = 32;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_LIFETIME_MS = 365 * DAY_MS;
/** Two years, including leap days. */
const MAX_LIFETIME_MS = 2 * 366 * DAY_MS;
const DEFAULT_OVERLAP_MS = HOUR_MS;
const MAX_OVERLAP_MS = DAY_MS;

/** Enabling provisioning may lock people out, so there must be enough owners. */
const MIN_OWNERS = 2;

/** The methods that enable and disable provisioning and manage its tokens. */
export function scimMethods(deps: ScimDeps): [DescMethod, Handler][] {
  const methods = IdentityProvidersService.method;
  return [
    [methods.generateScimToken, method(deps, generate, checkProviderGrantable)],
    [methods.regenerateScimToken, method(deps, regenerate, checkProviderGrantable)],
    [methods.revokeScimToken, method(deps, revoke)],
    [methods.setScimEnabled, method(deps, setEnabled, checkProviderGrantable)],
  ];
}

type Request = Message & { readonly identityProviderUid: string };

/** The new credentials, and the response once they have a new etag. */
interface MutationResult {
  readonly credentials: ScimCredentials;
  answer(common: { identityProviderUid: string; etag: string }): Message;
}

type TokenMethod<R> = (
  change: Mutation,
  before: ScimCredentials,
  request: R,
  endpointUrl: string,
) => Promise<MutationResult> | MutationResult;

/**
 * Runs all four methods: lock, change, audit, event without the token. Provisioning decides who is
 * in groups that are mapped to roles, so everything except revoking requires holding those roles.
 */
function method<R extends Request>(
  deps: ScimDeps,
  work: TokenMethod<R>,
  may?: (change: Mutation, provider: IdentityProvider) => Promise<void>,
): Handler {
  return async (call, message) => {
    const { output } = call.method;
    const request = message as R;
    const identityProviderUid = request.identityProviderUid;
    return deps.creates.write(
      call,
      async (tx) => {
        const change = new Mutation(call, tx, deps);
        await change.confirmAccess(identityProviderUid);
        const { identityProviders: providers } = deps.catalog;
        const provider = await providers.table.findForChange(tx, identityProviderUid);
        if (provider === undefined) throw notFound(providers.typeName, identityProviderUid);
        await may?.(change, providers.fromRow(provider));
        const before = await readScimCredentials(tx, identityProviderUid);
        const result = await work(change, before, request, endpointUrl(deps, identityProviderUid));
        const after = { ...result.credentials, version: before.version + 1 };
        await writeScimCredentials(tx, after);
        tx.accessChanged();
        await audit(tx, call, { resource: identityProviderUid });
        const done = result.answer({ identityProviderUid, etag: etagOf(after) });
        const json = messageToJson(output, withoutSecrets(output, done));
        change.emit(call.method, identityProviderUid, { type: output.typeName, json });
        return done;
      },
      (answer) => messageReply(output, answer),
    );
  };
}

const generate: TokenMethod<GenerateScimTokenRequest> = (
  { call },
  before,
  request,
  endpointUrl,
) => {
  if (before.token_hash !== "" && before.revoked === null) {
    const description = "a token exists already: regenerate it instead";
    throw failedPrecondition({ type: "SCIM_TOKEN_EXISTS", description });
  }
  const expires = readExpiry(request, call.time);
  const token = newToken();
  return {
    credentials: { ...before, ...onlyToken(token, expires) },
    answer: (common) =>
      create(GenerateScimTokenResponseSchema, {
        ...common,
        token,
        endpointUrl,
        ...timeField("expireTime", expires),
      }),
  };
};

const regenerate: TokenMethod<RegenerateScimTokenRequest> = (
  { call },
  before,
  request,
  endpointUrl,
) => {
  if (before.token_hash === "") throw notFound("ScimToken", request.identityProviderUid);
  checkEtag(before, request.etag);
  const expires = readExpiry(request, call.time);
  const overlap = readOverlap(request.overlap);
  const token = newToken();
  const isValid = before.revoked === null && !isPast(before.token_expires, call.time);
  const previous =
    isValid && overlap > 0
      ? Math.min(call.time + overlap, before.token_expires ?? Number.POSITIVE_INFINITY)
      : null;
  return {
    credentials: {
      ...before,
      ...onlyToken(token, expires),
      ...(previous !== null && {
        previous_hash: before.token_hash,
        previous_expires: previous,
      }),
    },
    answer: (common) =>
      create(RegenerateScimTokenResponseSchema, {
        ...common,
        token,
        endpointUrl,
        requestedOverlap: durationFromMs(overlap),
        ...timeField("expireTime", expires),
        ...timeField("previousTokenExpireTime", previous),
      }),
  };
};

const revoke: TokenMethod<RevokeScimTokenRequest> = ({ call }, before, request) => {
  if (before.token_hash === "") throw notFound("ScimToken", request.identityProviderUid);
  const revoked = before.revoked ?? call.time;
  return {
    credentials: { ...before, previous_hash: "", previous_expires: null, revoked },
    answer: (common) =>
      create(RevokeScimTokenResponseSchema, {
        ...common,
        enabled: before.enabled === 1,
        revokeTime: timestampFromMs(revoked),
      }),
  };
};

const setEnabled: TokenMethod<SetScimEnabledRequest> = async (change, before, request) => {
  const { enabled, etag, identityProviderUid } = request;
  checkEtag(before, etag);
  if (enabled && (await countOwners(change, rootOf(identityProviderUid))) < MIN_OWNERS) {
    const description = `${MIN_OWNERS} identities must be bound to owner at the organization first`;
    throw failedPrecondition({ type: "TOO_FEW_OWNERS", description });
  }
  return {
    credentials: { ...before, enabled: enabled ? 1 : 0 },
    answer: (common) => create(SetScimEnabledResponseSchema, { ...common, enabled }),
  };
};

async function countOwners({ deps, tx }: Mutation, organization: string): Promise<number> {
  let count = 0;
  for await (const _owner of ownersOf(deps, tx, organization)) count++;
  return count;
}

function newToken(): string {
  return PREFIX + randomBytes(TOKEN_BYTES).toString("hex");
}

function onlyToken(token: string, expires: number | null): Partial<ScimCredentials> {
  return {
    token_hash: scimTokenHash(token),
    token_expires: expires,
    previous_hash: "",
    previous_expires: null,
    revoked: null,
  };
}

function checkEtag(before: ScimCredentials, etag: string): void {
  if (etag !== etagOf(before))
    throw aborted("the etag is outdated: get the identity provider again");
}

interface Expiry {
  readonly expireTime?: Timestamp | undefined;
  readonly neverExpires: boolean;
}

function readExpiry({ expireTime, neverExpires }: Expiry, now: number): number | null {
  const invalid = (description: string) => invalidArgument({ field: "expireTime", description });
  if (expireTime === undefined) return neverExpires ? null : now + DEFAULT_LIFETIME_MS;
  if (neverExpires) throw invalid("expireTime and neverExpires are mutually exclusive");
  const expires = timestampMs(expireTime);
  if (expires <= now) throw invalid("expireTime must be in the future");
  if (expires > now + MAX_LIFETIME_MS) throw invalid("expireTime must be within two years");
  return expires;
}

function readOverlap(overlap: Duration | undefined): number {
  if (overlap === undefined) return DEFAULT_OVERLAP_MS;
  const ms = durationMs(overlap);
  if (ms >= 0 && ms <= MAX_OVERLAP_MS) return ms;
  throw invalidArgument({ field: "overlap", description: "overlap must be within 24 hours" });
}
