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
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";
import { wireCompatible } from "../wire-compatible.ts";

const { GroupAccountAssociations } = v1;

/** In version 1 an association has no id: its group identifies it. */
const NAMES = { uid: "group", parent: "group", providerType: "accountType" };

/** The version 1 methods of account associations. */
export function accountAssociationMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: GroupAccountAssociations.method.create,
      target: AccountAssociationsService.method.createAccountAssociation,
      request: (input) => ({ parent: input.group, accountAssociation: toV2(input) }),
      response: associationsV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: GroupAccountAssociations.method.update,
      target: AccountAssociationsService.method.updateAccountAssociation,
      request: (input) => ({ accountAssociation: toV2(input), updateMask: { paths: ["*"] } }),
      response: associationsV1,
      names: NAMES,
    }),
    adaptList(invoke, {
      method: GroupAccountAssociations.method.list,
      target: AccountAssociationsService.method.listAccountAssociations,
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
      target: AccountAssociationsService.method.deleteAccountAssociation,
      request: ({ group }) => ({ uid: group }),
      names: NAMES,
    }),
    adapt(invoke, {
      method: GroupAccountAssociations.method.check,
      target: AccountAssociationsService.method.checkAccountAssociation,
      // Providers and states have the same numbers in both versions.
      request: ({ group, accountType }) => ({ uid: group, providerType: accountType as number }),
      response: ({ status, reason, message }) => ({ ready: status as number, reason, message }),
      names: NAMES,
    }),
  ];
}

const amazonV2 = wireCompatible(
  v1.AccountAssociations_AmazonSchema,
  AccountAssociation_AmazonSchema,
);
const googleV2 = wireCompatible(
  v1.AccountAssociations_GoogleSchema,
  AccountAssociation_GoogleSchema,
);
const azureV2 = wireCompatible(v1.AccountAssociations_AzureSchema, AccountAssociation_AzureSchema);
const githubV2 = wireCompatible(
  v1.AccountAssociations_GitHubSchema,
  AccountAssociation_GitHubSchema,
);
const servicesV2 = wireCompatible(
  v1.AccountAssociations_ServiceBindingsSchema,
  AccountAssociation_ServiceBindingsSchema,
);

function toV2(input: v1.AccountAssociations) {
  const { group, name, description, amazon, google, azure, github, chainguard } = input;
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

const amazonV1 = wireCompatible(
  AccountAssociation_AmazonSchema,
  v1.AccountAssociations_AmazonSchema,
);
const googleV1 = wireCompatible(
  AccountAssociation_GoogleSchema,
  v1.AccountAssociations_GoogleSchema,
);
const azureV1 = wireCompatible(AccountAssociation_AzureSchema, v1.AccountAssociations_AzureSchema);
const githubV1 = wireCompatible(
  AccountAssociation_GitHubSchema,
  v1.AccountAssociations_GitHubSchema,
);
const servicesV1 = wireCompatible(
  AccountAssociation_ServiceBindingsSchema,
  v1.AccountAssociations_ServiceBindingsSchema,
);

/** Translates an association to version 1. */
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
