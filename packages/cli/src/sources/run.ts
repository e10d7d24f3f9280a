import { setTimeout as sleep } from "node:timers/promises";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { VulnerabilitySource } from "@wharf/client";
import { VulnerabilitySourceKind } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { failed, usageError } from "../errors.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { VULNERABILITY_SOURCE } from "../resolve/kinds.ts";
import { resolve, resolveUid } from "../resolve/resolve.ts";
import { printOne } from "../resource/run.ts";
import { updater } from "../resource/update.ts";
import { definedFields, durationOf, nonEmptyList } from "../resource/values.ts";
import { resource } from "./columns.ts";
import type { createDefinition, KINDS, runDefinition } from "./commands.ts";
import { updateDefinition } from "./commands.ts";

export { resource };

const NUMBERS: Readonly<Record<(typeof KINDS)[number], VulnerabilitySourceKind>> = {
  osv: VulnerabilitySourceKind.OSV,
  alpine: VulnerabilitySourceKind.ALPINE,
  secdb: VulnerabilitySourceKind.SECDB,
  kev: VulnerabilitySourceKind.KEV,
  epss: VulnerabilitySourceKind.EPSS,
};

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { name, kind, url, ecosystems, interval, token, checksum, paused } = args;
  const parent = await resolveGroup(context, args.parent);
  const vulnerabilitySource = {
    ...{ name, kind: NUMBERS[kind], ecosystems: [...ecosystems], paused },
    ...definedFields({
      ...{ url, checksum, token: token?.trim() },
      interval: interval === undefined ? undefined : durationOf(interval),
    }),
  };
  const { vulnerabilitySources } = await context.client();
  const request = { parent: parent.uid, vulnerabilitySource };
  const created = await vulnerabilitySources.create(request, { signal: context.signal });
  context.err.note(`created source ${created.name} in ${parent.name}`);
  await printOne(context, resource, created);
};

export const update = updater(updateDefinition, {
  resource,
  find: (context: Context, text: string) => resolve(context, VULNERABILITY_SOURCE, text),
  fields: {
    ...{ name: "name", url: "url", checksum: "checksum" },
    ecosystems: ({ args }) => nonEmptyList(args.ecosystems),
    interval: ({ args }) => (args.interval === undefined ? undefined : durationOf(args.interval)),
    token: ({ args }) => updatedToken(args),
    paused: ({ args }) => (args.paused === undefined ? undefined : args.paused === "yes"),
  },
  send: ({ vulnerabilitySources }, vulnerabilitySource, mask, options) =>
    vulnerabilitySources.update({ vulnerabilitySource, updateMask: { paths: mask } }, options),
});

function updatedToken({
  token,
  clearToken,
}: {
  readonly token: string | undefined;
  readonly clearToken: boolean;
}): string | undefined {
  if (clearToken && token !== undefined) {
    throw usageError("--token and --clear-token are mutually exclusive");
  }
  return clearToken ? "" : token?.trim();
}

const POLL_MS = 500;

export const run: Run<typeof runDefinition> = async (context, { source, wait }) => {
  const uid = await resolveUid(context, VULNERABILITY_SOURCE, source);
  const { vulnerabilitySources } = await context.client();
  const { signal } = context;
  const before = attemptOf(await vulnerabilitySources.get({ uid }, { signal }));
  const started = await vulnerabilitySources.run({ uid }, { signal });
  context.err.note(`requested an import of ${started.name}`);
  if (!wait) return printOne(context, resource, started);
  const ended = await context.progress(`importing ${started.name}`, async () => {
    for (;;) {
      const now = await vulnerabilitySources.get({ uid }, { signal });
      if (attemptOf(now) > before) return now;
      await sleep(POLL_MS, undefined, { signal });
    }
  });
  const { error = "" } = ended.status ?? {};
  if (error !== "") throw failed(`the import of ${ended.name} failed: ${error}`);
  await printOne(context, resource, ended);
};

/** When an attempt last ended, in milliseconds. */
function attemptOf({ status }: VulnerabilitySource): number {
  return status?.lastAttemptTime === undefined ? 0 : timestampMs(status.lastAttemptTime);
}
