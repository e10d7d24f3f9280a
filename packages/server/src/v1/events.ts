import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import * as v2 from "@wharf/contract";
import { advisoriesV1 } from "@wharf/contract";
import {
  accountAssociationsV1,
  externalGroupRoleMappingsV1,
  groupInvitesV1,
  groupsV1,
  identitiesV1,
  identityProvidersV1,
  registryV1,
  roleBindingsV1,
  rolesV1,
  SERVICES_V1,
} from "@wharf/contract/v1";
import type { EventTranslator, TranslatedEvent } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageFromJson } from "../rpc/json-read.ts";
import { toV1 } from "../vulnerabilities/v1/messages.ts";
import { associationsV1 } from "./account-associations.ts";
import { deletedV1, mappingV1 } from "./external-group-role-mappings.ts";
import { inviteV1 } from "./group-invites.ts";
import { groupV1 } from "./groups.ts";
import { identityV1 } from "./identities.ts";
import { providerV1 } from "./identity-providers.ts";
import { settingsV1 } from "./registry-settings.ts";
import { batchV1, bindingV1 } from "./role-bindings.ts";
import { roleV1 } from "./roles.ts";
import { tagV1 } from "./tags.ts";
import { alike } from "./wire-compatible.ts";

/** What an event tells, told in version 1, by the name of the message that tells it in version 2. */
type Words = readonly [name: string, tell: (json: string) => TranslatedEvent];

/**
 * Events have the same types in both versions; what tells them apart is the message in them. So what
 * a call of version 1 causes is told in its messages, the events of other things that it touches
 * among them. Repos are told by those who write them, with their READMEs: those that follow another
 * repo are not looked up for it, and stay in the words of version 2.
 */
const WORDS: ReadonlyMap<string, Words[1]> = new Map([
  words(v2.GroupSchema, groupsV1.GroupSchema, groupV1),
  words(v2.IdentitySchema, identitiesV1.IdentitySchema, identityV1),
  words(v2.RoleSchema, rolesV1.RoleSchema, roleV1),
  words(v2.RoleBindingSchema, roleBindingsV1.RoleBindingSchema, bindingV1),
  batchWords(),
  words(v2.GroupInviteSchema, groupInvitesV1.GroupInviteSchema, inviteV1),
  words(v2.IdentityProviderSchema, identityProvidersV1.IdentityProviderSchema, providerV1),
  same(v2.GenerateScimTokenResponseSchema, identityProvidersV1.GenerateScimTokenResponseSchema),
  same(v2.RegenerateScimTokenResponseSchema, identityProvidersV1.RegenerateScimTokenResponseSchema),
  same(v2.RevokeScimTokenResponseSchema, identityProvidersV1.RevokeScimTokenResponseSchema),
  same(v2.SetScimEnabledResponseSchema, identityProvidersV1.SetScimEnabledResponseSchema),
  words(
    v2.AccountAssociationSchema,
    accountAssociationsV1.AccountAssociationsSchema,
    associationsV1,
  ),
  words(
    v2.ExternalGroupRoleMappingSchema,
    externalGroupRoleMappingsV1.ExternalGroupRoleMappingSchema,
    mappingV1,
  ),
  words(
    v2.BatchDeleteExternalGroupRoleMappingsResponseSchema,
    externalGroupRoleMappingsV1.BatchDeleteExternalGroupRoleMappingsResponseSchema,
    deletedV1,
  ),
  words(v2.TagSchema, registryV1.TagSchema, tagV1),
  words(v2.RegistrySettingsSchema, registryV1.RegistrySettingsSchema, settingsV1),
  words(v2.AdvisorySchema, advisoriesV1.AdvisorySchema, toV1),
  deletion(v2.DeleteGroupRequestSchema, groupsV1.DeleteGroupRequestSchema),
  deletion(v2.DeleteIdentityRequestSchema, identitiesV1.DeleteIdentityRequestSchema),
  deletion(v2.DeleteRoleRequestSchema, rolesV1.DeleteRoleRequestSchema),
  deletion(v2.DeleteRoleBindingRequestSchema, roleBindingsV1.DeleteRoleBindingRequestSchema),
  deletion(v2.DeleteGroupInviteRequestSchema, groupInvitesV1.DeleteGroupInviteRequestSchema),
  deletion(
    v2.DeleteIdentityProviderRequestSchema,
    identityProvidersV1.DeleteIdentityProviderRequestSchema,
  ),
  deletion(
    v2.DeleteAccountAssociationRequestSchema,
    accountAssociationsV1.DeleteAccountAssociationsRequestSchema,
  ),
  deletion(
    v2.DeleteExternalGroupRoleMappingRequestSchema,
    externalGroupRoleMappingsV1.DeleteExternalGroupRoleMappingRequestSchema,
  ),
  deletion(v2.DeleteRepoRequestSchema, registryV1.DeleteRepoRequestSchema),
  deletion(v2.DeleteTagRequestSchema, registryV1.DeleteTagRequestSchema),
]);

/** Which calls are told in the words of version 1, and how. */
export const V1_EVENT_TRANSLATOR: EventTranslator = {
  methods: new Set<DescMethod>(
    [...SERVICES_V1, advisoriesV1.Advisories].flatMap(({ methods }) => methods),
  ),
  translate: (body) => WORDS.get(body.type)?.(body.json) ?? body,
};

function words<From extends DescMessage, To extends DescMessage>(
  from: From,
  to: To,
  translate: (message: MessageShape<From>) => MessageInitShape<To>,
): Words {
  return [
    from.typeName,
    (json) => {
      const told = create(to, translate(messageFromJson(from, JSON.parse(json))));
      return { type: to.typeName, json: messageToJson(to, told) };
    },
  ];
}

function same(from: DescMessage, to: DescMessage): Words {
  return words(from, to, alike(from, to));
}

/** What is deleted goes by the first, and only, field of either request. */
function deletion(from: DescMessage, to: DescMessage): Words {
  const [one, other] = [from.fields[0]?.jsonName ?? "", to.fields[0]?.jsonName ?? ""];
  return [
    from.typeName,
    (json) => ({ type: to.typeName, json: JSON.stringify({ [other]: JSON.parse(json)[one] }) }),
  ];
}

/** In version 1, such an event is about the bindings, and not about their group. */
function batchWords(): Words {
  const [name, tell] = words(
    v2.BatchCreateRoleBindingsResponseSchema,
    roleBindingsV1.RoleBindingBatchSchema,
    batchV1,
  );
  return [
    name,
    (json) => {
      const told = tell(json);
      const { roleBindings } = JSON.parse(told.json) as { roleBindings: { id: string }[] };
      return { ...told, subject: roleBindings.map(({ id }) => id).join() };
    },
  ];
}
