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
  builtinRole,
  CapabilitySet,
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
import { audit } from "../engine/audit.ts";
import { Mutation } from "../engine/mutation.ts";
import { withoutSecrets } from "../engine/resource.ts";
import { checkProviderGrantable } from "../iam/granting.ts";
import { aborted, failedPrecondition, invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import {
  readScimCredentials,
  type ScimCredentials,
  writeScimCredentials,
} from "../store/tables/scim-credentials.ts";
import type { ScimDeps } from "./deps.ts";
import { endpointUrl, etagOf, isPast, scimTokenHash, timeField } from "./status.ts";

/** What clients and scanners for leaked secrets know these tokens by. */
const PREFIX = "cgscim_";
const TOKEN_BYTES = 32;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_LIFE_MS = 365 * DAY_MS;
/** Two years, leap days included. */
const LONGEST_LIFE_MS = 2 * 366 * DAY_MS;
const DEFAULT_OVERLAP_MS = HOUR_MS;
const LONGEST_OVERLAP_MS = DAY_MS;

/** So many identities must be owners before provisioning is switched on, which may lock out the rest. */
const LEAST_OWNERS = 2;

/**
 * The methods that switch provisioning on and off and give out its tokens.
 */
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

/** What a method makes of the credentials, and how it answers once they have a new etag. */
interface Made {
  readonly credentials: ScimCredentials;
  answer(common: { identityProviderUid: string; etag: string }): Message;
}

type Work<R> = (
  change: Mutation,
  before: ScimCredentials,
  request: R,
  endpointUrl: string,
) => Promise<Made> | Made;

/**
 * The frame of all four: lock, change, leave audit row and event without the token. Whoever provisions
 * says who is in the groups that are mapped to roles, so all but ending that takes holding them.
 */
function method<R extends Request>(
  deps: ScimDeps,
  work: Work<R>,
  may?: (change: Mutation, provider: IdentityProvider) => Promise<void>,
): Handler {
  const { engine } = deps;
  return async (call, message) => {
    const { output } = call.method;
    const request = message as R;
    const identityProviderUid = request.identityProviderUid;
    const answer = await engine.store.write(async (tx) => {
      const change = new Mutation(call, tx, engine);
      await change.confirmAccess(identityProviderUid);
      const { identityProviders: providers } = engine.catalog;
      const provider = await providers.table.findForChange(tx, identityProviderUid);
      if (provider === undefined) throw notFound(providers.typeName, identityProviderUid);
      await may?.(change, providers.fromRow(provider));
      const before = await readScimCredentials(tx, identityProviderUid);
      const made = await work(change, before, request, endpointUrl(deps, identityProviderUid));
      const after = { ...made.credentials, version: before.version + 1 };
      await writeScimCredentials(tx, after);
      tx.accessChanged();
      await audit(tx, call, { resource: identityProviderUid });
      const done = made.answer({ identityProviderUid, etag: etagOf(after) });
      const json = messageToJson(output, withoutSecrets(output, done));
      await change.emit(call.method, identityProviderUid, { type: output.typeName, json });
      return done;
    });
    return messageReply(output, answer);
  };
}

const generate: Work<GenerateScimTokenRequest> = ({ call }, before, request, endpointUrl) => {
  if (before.token_hash !== "" && before.revoked === null) {
    const description = "there is a token: regenerate it instead";
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

const regenerate: Work<RegenerateScimTokenRequest> = ({ call }, before, request, endpointUrl) => {
  if (before.token_hash === "") throw notFound("ScimToken", request.identityProviderUid);
  checkEtag(before, request.etag);
  const expires = readExpiry(request, call.time);
  const overlap = readOverlap(request.overlap);
  const token = newToken();
  const isGood = before.revoked === null && !isPast(before.token_expires, call.time);
  const previous =
    isGood && overlap > 0
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

const revoke: Work<RevokeScimTokenRequest> = ({ call }, before, request) => {
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

const setEnabled: Work<SetScimEnabledRequest> = async (change, before, request) => {
  const { enabled, etag, identityProviderUid } = request;
  checkEtag(before, etag);
  if (enabled && (await ownersAt(change, rootOf(identityProviderUid))) < LEAST_OWNERS) {
    const description = `${LEAST_OWNERS} identities must be bound to owner at the organisation first`;
    throw failedPrecondition({ type: "TOO_FEW_OWNERS", description });
  }
  return {
    credentials: { ...before, enabled: enabled ? 1 : 0 },
    answer: (common) => create(SetScimEnabledResponseSchema, { ...common, enabled }),
  };
};

/** How many identities role bindings make owners of a group, or more than that. */
async function ownersAt({ engine, tx }: Mutation, group: string): Promise<number> {
  const bindings = await engine.catalog.roleBindings.where(tx, { column: "parent", value: group });
  const roles = await engine.catalog.roles.findMany(
    tx,
    bindings.map((binding) => binding.roleUid),
  );
  const owner = CapabilitySet.of(...(builtinRole("owner")?.capabilities ?? []));
  const isOwner = (roleUid: string) => {
    return CapabilitySet.of(...(roles.get(roleUid)?.capabilities ?? [])).hasAll(owner);
  };
  const owners = bindings.filter((binding) => isOwner(binding.roleUid));
  return new Set(owners.map((binding) => binding.identityUid)).size;
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
  if (etag !== etagOf(before)) throw aborted("the etag is not the present one: get it again");
}

interface Expiry {
  readonly expireTime?: Timestamp | undefined;
  readonly neverExpires: boolean;
}

function readExpiry({ expireTime, neverExpires }: Expiry, now: number): number | null {
  const refuse = (description: string) => invalidArgument({ field: "expireTime", description });
  if (expireTime === undefined) return neverExpires ? null : now + DEFAULT_LIFE_MS;
  if (neverExpires) throw refuse("expireTime and neverExpires exclude each other");
  const expires = timestampMs(expireTime);
  if (expires <= now) throw refuse("expireTime must be in the future");
  if (expires > now + LONGEST_LIFE_MS) throw refuse("expireTime must be within two years");
  return expires;
}

function readOverlap(overlap: Duration | undefined): number {
  if (overlap === undefined) return DEFAULT_OVERLAP_MS;
  const ms = durationMs(overlap);
  if (ms >= 0 && ms <= LONGEST_OVERLAP_MS) return ms;
  throw invalidArgument({ field: "overlap", description: "overlap must be within 24 hours" });
}
