import { create } from "@bufbuild/protobuf";
import {
  type AccountAssociation,
  AccountAssociation_AmazonSchema,
  AccountAssociation_AzureSchema,
  AccountAssociation_GitHubSchema,
  AccountAssociation_GoogleSchema,
  AccountAssociation_ServiceBindingsSchema,
  AccountAssociationsService,
} from "@wharf/contract";
import { accountAssociationsV1 as v1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";
import { alike } from "./wire-compatible.ts";

const { GroupAccountAssociations } = v1;

/** Here an association has no id of its own: it goes by its group. */
const NAMES = { uid: "group", parent: "group", providerType: "accountType" };

/**
 * Account associations as version 1 has them.
 *
 * @example handlers.push(...accountAssociationMethods(invoke));
 */
export function accountAssociationMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: GroupAccountAssociations.method.create,
      onto: AccountAssociationsService.method.createAccountAssociation,
      request: (given) => ({ parent: given.group, accountAssociation: toV2(given) }),
      answer: associationsV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: GroupAccountAssociations.method.update,
      onto: AccountAssociationsService.method.updateAccountAssociation,
      request: (given) => ({ accountAssociation: toV2(given), updateMask: { paths: ["*"] } }),
      answer: associationsV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: GroupAccountAssociations.method.list,
      onto: AccountAssociationsService.method.listAccountAssociations,
      request({ group, name }) {
        const filter = filterOf(group);
        return filter && { uidp: filter, name };
      },
      items: ({ accountAssociations }) => accountAssociations,
      item: associationsV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: GroupAccountAssociations.method.delete,
      onto: AccountAssociationsService.method.deleteAccountAssociation,
      request: ({ group }) => ({ uid: group }),
      names: NAMES,
    }),
    adapt(invoke, {
      method: GroupAccountAssociations.method.check,
      onto: AccountAssociationsService.method.checkAccountAssociation,
      // Providers and states have the same numbers in both versions.
      request: ({ group, accountType }) => ({ uid: group, providerType: accountType as number }),
      answer: ({ status, reason, message }) => ({ ready: status as number, reason, message }),
      names: NAMES,
    }),
  ];
}

const amazonV2 = alike(v1.AccountAssociations_AmazonSchema, AccountAssociation_AmazonSchema);
const googleV2 = alike(v1.AccountAssociations_GoogleSchema, AccountAssociation_GoogleSchema);
const azureV2 = alike(v1.AccountAssociations_AzureSchema, AccountAssociation_AzureSchema);
const githubV2 = alike(v1.AccountAssociations_GitHubSchema, AccountAssociation_GitHubSchema);
const servicesV2 = alike(
  v1.AccountAssociations_ServiceBindingsSchema,
  AccountAssociation_ServiceBindingsSchema,
);

function toV2(given: v1.AccountAssociations) {
  const { group, name, description, amazon, google, azure, github, chainguard } = given;
  return {
    uid: group,
    name,
    description,
    amazon: amazon && amazonV2(amazon),
    google: google && googleV2(google),
    azure: azure && azureV2(azure),
    github: github && githubV2(github),
    chainguard: chainguard && servicesV2(chainguard),
  };
}

const amazonV1 = alike(AccountAssociation_AmazonSchema, v1.AccountAssociations_AmazonSchema);
const googleV1 = alike(AccountAssociation_GoogleSchema, v1.AccountAssociations_GoogleSchema);
const azureV1 = alike(AccountAssociation_AzureSchema, v1.AccountAssociations_AzureSchema);
const githubV1 = alike(AccountAssociation_GitHubSchema, v1.AccountAssociations_GitHubSchema);
const servicesV1 = alike(
  AccountAssociation_ServiceBindingsSchema,
  v1.AccountAssociations_ServiceBindingsSchema,
);

/**
 * What a group is associated with, as version 1 shows it.
 *
 * @example associationsV1(association).group
 */
export function associationsV1(shown: AccountAssociation): v1.AccountAssociations {
  const { uid, name, description, amazon, google, azure, github, chainguard } = shown;
  return create(v1.AccountAssociationsSchema, {
    group: uid,
    name,
    description,
    amazon: amazon && amazonV1(amazon),
    google: google && googleV1(google),
    azure: azure && azureV1(azure),
    github: github && githubV1(github),
    chainguard: chainguard && servicesV1(chainguard),
  });
}
