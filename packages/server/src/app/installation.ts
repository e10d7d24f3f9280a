import { create, type DescMethod } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  InstallationSchema,
  InstallationService,
  InstallationStatusSchema,
  ListSigningKeysResponseSchema,
  RotateSigningKeysRequestSchema,
  RotateSigningKeysResponseSchema,
  SigningKey_State,
} from "@wharf/contract";
import { sinkKey } from "../audit/sinks/sink.ts";
import { audit } from "../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { BUILD, VERSION } from "../lib/version.ts";
import { CALLBACK_PATH } from "../login/providers/provider-login.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Readiness } from "../observe/readiness.ts";
import type { Call, Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { auditIds } from "../store/tables/audit/entries.ts";
import { readSinkProgress } from "../store/tables/audit/sinks.ts";
import { registryHosts } from "../sts/audiences.ts";
import type { Core } from "./core.ts";
import { replaceTokenKeys } from "./key-rotation.ts";
import { readListedKeys } from "./listed-keys.ts";
import { v1CallersOf } from "./v1-callers.ts";

export interface InstallationDeps
  extends WriteDeps,
    Pick<Core, "settings" | "secrets" | "addresses"> {
  readonly readiness: Readiness;
  /** The metrics of the whole server. */
  readonly scrape: () => ReturnType<Metrics["text"]>;
}

export function installationHandlers(deps: InstallationDeps): [DescMethod, Handler][] {
  const { method } = InstallationService;
  return [
    [method.getInstallation, async () => getInstallation(deps)],
    [method.getInstallationStatus, () => getStatus(deps)],
    [method.listSigningKeys, (call) => listSigningKeys(deps, call)],
    [method.rotateSigningKeys, (call) => rotateSigningKeys(deps, call)],
  ];
}

function getInstallation({ settings, addresses }: InstallationDeps) {
  const { baseUrl, authUrl } = addresses();
  const response = create(InstallationSchema, {
    version: VERSION,
    baseUrl,
    authUrl,
    redirectUri: `${authUrl}${CALLBACK_PATH}`,
    registryHosts: registryHosts(settings, baseUrl),
    attachedRegistries: [...settings.registryUrls.keys()],
  });
  return messageReply(InstallationSchema, response);
}

async function getStatus({ settings, store, readiness, scrape }: InstallationDeps) {
  const { reader } = store;
  const { last } = await auditIds(reader);
  const auditSinks = await Promise.all(
    settings.auditSinks.map(async (text) => {
      const url = new URL(text);
      const { entry } = await readSinkProgress(reader, sinkKey(url));
      return { url: publicUrl(url), pendingEntries: BigInt(Math.max(0, last - entry)) };
    }),
  );
  const { v1Deprecation } = settings;
  const response = create(InstallationStatusSchema, {
    version: VERSION,
    ...BUILD,
    startTime: timestampFromMs(Math.round(performance.timeOrigin)),
    database: reader.dialect.name,
    problem: readiness.problem?.message ?? "",
    keyRotationDays: settings.keyRotationDays,
    auditSinks,
    ...(v1Deprecation > 0 && {
      v1DeprecationTime: timestampFromMs(v1Deprecation),
      v1Callers: v1CallersOf((await scrape()).body),
    }),
  });
  return messageReply(InstallationStatusSchema, response);
}

/** Credentials of a sink are in its user information or its query. */
function publicUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

const STATES = {
  current: SigningKey_State.CURRENT,
  next: SigningKey_State.NEXT,
  retiring: SigningKey_State.RETIRING,
} as const;

async function listSigningKeys({ store }: InstallationDeps, { time }: Call) {
  const keys = await readListedKeys(store.reader, time);
  const response = create(ListSigningKeysResponseSchema, {
    signingKeys: keys.map(({ kid, use, algorithm, state, created, retires }) => ({
      kid,
      use,
      algorithm,
      state: STATES[state],
      createTime: timestampFromDate(new Date(created)),
      ...(retires !== undefined && { retireTime: timestampFromDate(new Date(retires)) }),
    })),
  });
  return messageReply(ListSigningKeysResponseSchema, response);
}

async function rotateSigningKeys(deps: InstallationDeps, call: Call) {
  const { store, secrets } = deps;
  const { typeName: type } = RotateSigningKeysRequestSchema;
  const kid = await replaceTokenKeys(store, secrets, call.time, {
    isDue: async () => true,
    async record(tx, created) {
      await audit(tx, call, { resource: "", detail: { mode: "overlap", kid: created } });
      const json = JSON.stringify({ kid: created });
      // The event belongs to the installation, not to a group.
      new Mutation(call, tx, deps).emit(call.method, created, { type, json }, "");
    },
  });
  const response = create(RotateSigningKeysResponseSchema, { kid: kid ?? "" });
  return messageReply(RotateSigningKeysResponseSchema, response);
}
