import { clone, create, type DescMethod } from "@bufbuild/protobuf";
import {
  type GetOrganizationSettingsRequest,
  isRoot,
  type OrganizationSettings,
  OrganizationSettingsSchema,
  OrganizationSettingsService,
  type UpdateOrganizationSettingsRequest,
} from "@wharf/contract";
import { audit } from "../engine/audit/audit.ts";
import type { ResourceStore } from "../engine/catalog.ts";
import { applyMask, readMask } from "../engine/write/mask.ts";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import { mustBeUid } from "../rpc/validate.ts";
import type { Reader } from "../store/db/connection.ts";
import {
  readOrganizationSettings,
  writeOrganizationSettings,
} from "../store/tables/organization-settings.ts";

/** The handlers of OrganizationSettingsService: what an organization requires of everything in it. */
export function organizationSettingsHandlers(deps: WriteDeps): [DescMethod, Handler][] {
  const { method } = OrganizationSettingsService;
  return [
    [method.getOrganizationSettings, getSettings(deps)],
    [method.updateOrganizationSettings, updateSettings(deps)],
  ];
}

function getSettings({ store: { reader }, catalog: { groups } }: ResourceStore): Handler {
  return async (_call, message) => {
    const { groupUid } = message as GetOrganizationSettingsRequest;
    mustBeOrganization(groupUid);
    if ((await groups.table.find(reader, groupUid, "data")) === undefined) {
      throw notFound(groups.typeName, groupUid);
    }
    return messageReply(OrganizationSettingsSchema, await settingsOf(reader, groupUid));
  };
}

function updateSettings(deps: WriteDeps): Handler {
  return async (call, message) => {
    const { organizationSettings, updateMask } = message as UpdateOrganizationSettingsRequest;
    const input = organizationSettings ?? create(OrganizationSettingsSchema);
    const { groupUid } = input;
    mustBeUid("groupUid", groupUid);
    mustBeOrganization(groupUid);
    const mask = readMask(OrganizationSettingsSchema, updateMask?.paths ?? [], input);
    const settings = await deps.store.writeFor(call, async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      await mutation.confirmAccess(groupUid);
      // Locks the organization, so that concurrent updates of different fields do not overwrite each other.
      if ((await deps.catalog.groups.table.findForChange(tx, groupUid)) === undefined) {
        throw notFound(deps.catalog.groups.typeName, groupUid);
      }
      const after = clone(OrganizationSettingsSchema, await settingsOf(tx, groupUid));
      applyMask(after, input, mask);
      await writeOrganizationSettings(tx, groupUid, after);
      const detail = { uniqueSiblings: after.uniqueSiblings };
      await audit(tx, call, { resource: groupUid, detail });
      const json = messageToJson(OrganizationSettingsSchema, after);
      mutation.emit(call.method, groupUid, { type: after.$typeName, json });
      return after;
    });
    return messageReply(OrganizationSettingsSchema, settings);
  };
}

function mustBeOrganization(uid: string): void {
  if (isRoot(uid)) return;
  const description = "groupUid must be the UID of an organization";
  throw invalidArgument({ field: "groupUid", description });
}

async function settingsOf(reader: Reader, groupUid: string): Promise<OrganizationSettings> {
  const stored = await readOrganizationSettings(reader, groupUid);
  return create(OrganizationSettingsSchema, { groupUid, ...stored });
}
