import { clone, create, type DescMethod } from "@bufbuild/protobuf";
import {
  type GetRegistrySettingsRequest,
  type RegistrySettings,
  RegistrySettingsSchema,
  RegistrySettingsService,
  type UpdateRegistrySettingsRequest,
} from "@wharf/contract";
import { audit } from "../engine/audit/audit.ts";
import type { ResourceStore } from "../engine/catalog.ts";
import { applyMask, readMask } from "../engine/write/mask.ts";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import { mustBeUid } from "../rpc/validate.ts";
import type { Reader } from "../store/db/connection.ts";
import { readRegistrySettings, writeRegistrySettings } from "../store/tables/registry/settings.ts";

/** The handlers of RegistrySettingsService: what a group configures for all repos below it. */
export function settingsHandlers(deps: WriteDeps): [DescMethod, Handler][] {
  const { method } = RegistrySettingsService;
  return [
    [method.getRegistrySettings, getSettings(deps)],
    [method.updateRegistrySettings, updateSettings(deps)],
  ];
}

function getSettings({ store: { reader }, catalog: { groups } }: ResourceStore): Handler {
  return async (_call, message) => {
    const { groupUid } = message as GetRegistrySettingsRequest;
    if ((await groups.table.find(reader, groupUid, "data")) === undefined) {
      throw notFound(groups.typeName, groupUid);
    }
    return messageReply(RegistrySettingsSchema, await settingsOf(reader, groupUid));
  };
}

function updateSettings(deps: WriteDeps): Handler {
  return async (call, message) => {
    const { registrySettings, updateMask } = message as UpdateRegistrySettingsRequest;
    const input = registrySettings ?? create(RegistrySettingsSchema);
    const { groupUid } = input;
    mustBeUid("groupUid", groupUid);
    const mask = readMask(RegistrySettingsSchema, updateMask?.paths ?? [], input);
    const settings = await deps.store.writeFor(call, async (tx) => {
      // Locks the group, so that concurrent updates of different fields do not overwrite each other.
      if ((await deps.catalog.groups.table.findForChange(tx, groupUid)) === undefined) {
        throw notFound(deps.catalog.groups.typeName, groupUid);
      }
      const after = clone(RegistrySettingsSchema, await settingsOf(tx, groupUid));
      applyMask(after, input, mask);
      await writeRegistrySettings(tx, groupUid, after);
      await audit(tx, call, { resource: groupUid });
      const json = messageToJson(RegistrySettingsSchema, after);
      const mutation = new Mutation(call, tx, deps);
      mutation.emit(call.method, groupUid, { type: after.$typeName, json });
      return after;
    });
    return messageReply(RegistrySettingsSchema, settings);
  };
}

async function settingsOf(reader: Reader, groupUid: string): Promise<RegistrySettings> {
  const stored = await readRegistrySettings(reader, groupUid);
  return create(RegistrySettingsSchema, { groupUid, ...stored });
}
