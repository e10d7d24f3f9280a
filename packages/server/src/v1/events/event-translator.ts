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
  subscriptionsV1,
} from "@wharf/contract/v1";
import { groupV1, roleV1 } from "../../iam/v1-messages.ts";
import type { EventTranslator, TranslatedEvent } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { messageFromJson } from "../../rpc/json-read.ts";
import { toV1 } from "../../vulnerabilities/v1/messages.ts";
import { associationsV1 } from "../iam/account-associations.ts";
import { deletedV1, mappingV1 } from "../iam/external-group-role-mappings.ts";
import { inviteV1 } from "../iam/group-invites.ts";
import { identityV1 } from "../iam/identities.ts";
import { providerV1 } from "../iam/identity-providers.ts";
import { batchV1, bindingV1 } from "../iam/role-bindings.ts";
import { deploymentV1 } from "../registry/deployments.ts";
import { settingsV1 } from "../registry/registry-settings.ts";
import { tagV1 } from "../registry/tags.ts";
import { wireCompatible } from "../wire-compatible.ts";
import { subscriptionV1 } from "./subscriptions.ts";

/** Translates the JSON of a message to version 1. */
type Translate = (json: string) => TranslatedEvent;

/** The full name of a version 2 message, and its translation. */
type Translation = readonly [typeName: string, translate: Translate];

/**
 * Translates v2 event messages to v1, keyed by v2 message type.
 *
 * Event types are the same in both versions; only the message in them differs. All events of a version 1
 * call have version 1 messages, including those of other resources that the call changes. Repos are
 * missing: their writer creates the version 1 message, because it includes the README. Repos that change
 * because they follow another one keep the version 2 message.
 */
const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  translation(v2.GroupSchema, groupsV1.GroupSchema, groupV1),
  translation(v2.IdentitySchema, identitiesV1.IdentitySchema, identityV1),
  translation(v2.RoleSchema, rolesV1.RoleSchema, roleV1),
  translation(v2.RoleBindingSchema, roleBindingsV1.RoleBindingSchema, bindingV1),
  createdBatch(),
  translation(v2.GroupInviteSchema, groupInvitesV1.GroupInviteSchema, inviteV1),
  translation(v2.IdentityProviderSchema, identityProvidersV1.IdentityProviderSchema, providerV1),
  same(v2.GenerateScimTokenResponseSchema, identityProvidersV1.GenerateScimTokenResponseSchema),
  same(v2.RegenerateScimTokenResponseSchema, identityProvidersV1.RegenerateScimTokenResponseSchema),
  same(v2.RevokeScimTokenResponseSchema, identityProvidersV1.RevokeScimTokenResponseSchema),
  same(v2.SetScimEnabledResponseSchema, identityProvidersV1.SetScimEnabledResponseSchema),
  translation(
    v2.AccountAssociationSchema,
    accountAssociationsV1.AccountAssociationsSchema,
    associationsV1,
  ),
  translation(
    v2.ExternalGroupRoleMappingSchema,
    externalGroupRoleMappingsV1.ExternalGroupRoleMappingSchema,
    mappingV1,
  ),
  translation(
    v2.BatchDeleteExternalGroupRoleMappingsResponseSchema,
    externalGroupRoleMappingsV1.BatchDeleteExternalGroupRoleMappingsResponseSchema,
    deletedV1,
  ),
  translation(v2.TagSchema, registryV1.TagSchema, tagV1),
  translation(v2.DeploymentSchema, registryV1.DeploymentSchema, deploymentV1),
  translation(v2.RegistrySettingsSchema, registryV1.RegistrySettingsSchema, settingsV1),
  translation(v2.SubscriptionSchema, subscriptionsV1.SubscriptionSchema, subscriptionV1),
  translation(v2.AdvisorySchema, advisoriesV1.AdvisorySchema, toV1),
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
  deletion(v2.DeleteSubscriptionRequestSchema, subscriptionsV1.DeleteSubscriptionRequestSchema),
  deletion(v2.DeleteRepoRequestSchema, registryV1.DeleteRepoRequestSchema),
  deletion(v2.DeleteTagRequestSchema, registryV1.DeleteTagRequestSchema),
]);

/** The calls whose events are translated to version 1, and the translation. */
export const V1_EVENT_TRANSLATOR: EventTranslator = {
  methods: new Set<DescMethod>(
    [...SERVICES_V1, advisoriesV1.Advisories].flatMap(({ methods }) => methods),
  ),
  translate: (body) => TRANSLATIONS.get(body.type)?.(body.json) ?? body,
};

function translation<From extends DescMessage, To extends DescMessage>(
  from: From,
  to: To,
  translate: (message: MessageShape<From>) => MessageInitShape<To>,
): Translation {
  return [
    from.typeName,
    (json) => {
      const message = create(to, translate(messageFromJson(from, JSON.parse(json))));
      return { type: to.typeName, json: messageToJson(to, message) };
    },
  ];
}

function same(from: DescMessage, to: DescMessage): Translation {
  return translation(from, to, wireCompatible(from, to));
}

/** A delete request has one field in either version: the uid. */
function deletion(from: DescMessage, to: DescMessage): Translation {
  const [uidV2, uidV1] = [from.fields[0]?.jsonName ?? "", to.fields[0]?.jsonName ?? ""];
  return [
    from.typeName,
    (json) => ({ type: to.typeName, json: JSON.stringify({ [uidV1]: JSON.parse(json)[uidV2] }) }),
  ];
}

/** In version 1 the subject of this event is the bindings instead of their group. */
function createdBatch(): Translation {
  const [typeName, translate] = translation(
    v2.BatchCreateRoleBindingsResponseSchema,
    roleBindingsV1.RoleBindingBatchSchema,
    batchV1,
  );
  return [
    typeName,
    (json) => {
      const body = translate(json);
      const { roleBindings } = JSON.parse(body.json) as { roleBindings: { id: string }[] };
      return { ...body, subject: roleBindings.map(({ id }) => id).join() };
    },
  ];
}
