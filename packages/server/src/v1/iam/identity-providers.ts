import { create } from "@bufbuild/protobuf";
import {
  GetIdentityProviderRequestSchema,
  type IdentityProvider,
  IdentityProvider_OIDCSchema,
  IdentityProvider_SCIMSchema,
  IdentityProvidersService,
  ListIdentityProvidersRequestSchema,
} from "@wharf/contract";
import { identityProvidersV1 as v1 } from "@wharf/contract/v1";
import { WharfError } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";
import { wireCompatible } from "../wire-compatible.ts";
import { scimMethods } from "./scim.ts";

const { IdentityProviders } = v1;

const NAMES = { parent: "parentId" };

/** The update mask of a PUT. An omitted secret is cleared only by its own path. */
const UPDATE_PATHS = ["name", "description", "default_role", "oidc", "oidc.client_secret"];

/** The version 1 methods of identity providers. */
export function identityProviderMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: IdentityProviders.method.create,
      target: IdentityProvidersService.method.createIdentityProvider,
      request: ({ parentId, identityProvider }) => ({
        parent: parentId,
        ...(identityProvider && { identityProvider: toV2(identityProvider) }),
      }),
      response: providerV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: IdentityProviders.method.update,
      target: IdentityProvidersService.method.updateIdentityProvider,
      request: (input) => ({ identityProvider: toV2(input), updateMask: { paths: UPDATE_PATHS } }),
      response: providerV1,
    }),
    listMethod(invoke),
    adapt(invoke, {
      method: IdentityProviders.method.delete,
      target: IdentityProvidersService.method.deleteIdentityProvider,
      request: ({ id }) => ({ uid: id }),
    }),
    ...scimMethods(invoke),
  ];
}

/** Version 1 has no Get, so a list by id includes what only Get returns, such as the etag of provisioning. */
function listMethod(invoke: Invoke): AdaptedMethod {
  const { listIdentityProviders, getIdentityProvider } = IdentityProvidersService.method;
  const [method, list] = adaptList(invoke, {
    method: IdentityProviders.method.list,
    target: listIdentityProviders,
    request: listRequest,
    items: ({ identityProviders }) => identityProviders,
    item: providerV1,
  });
  const handler: Handler = async (call, message) => {
    const filter = message as v1.IdentityProviderFilter;
    const request = listRequest(filter);
    if (filter.id === "" || request === undefined) return list(call, message);
    const input = create(ListIdentityProvidersRequestSchema, request);
    const { identityProviders } = await invoke(call, listIdentityProviders, input);
    const items: v1.IdentityProvider[] = [];
    for (const { uid } of identityProviders) {
      const one = create(GetIdentityProviderRequestSchema, { uid });
      const got = await invoke(call, getIdentityProvider, one).catch(undefinedIfNotFound);
      if (got !== undefined) items.push(providerV1(got));
    }
    return messageReply(method.output, create(v1.IdentityProviderListSchema, { items }));
  };
  return [method, handler];
}

/** The provider may be deleted between list and get. */
function undefinedIfNotFound(thrown: unknown): undefined {
  if (!(thrown instanceof WharfError && thrown.code === "NOT_FOUND")) throw thrown;
}

function listRequest({ id, name, uidp }: v1.IdentityProviderFilter) {
  const filter = filterOf(id, uidp);
  return filter && { uidp: filter, name };
}

const oidcV2 = wireCompatible(v1.IdentityProvider_OIDCSchema, IdentityProvider_OIDCSchema);

function toV2({ id, name, description, defaultRole, configuration }: v1.IdentityProvider) {
  const common = { uid: id, name, description, defaultRole };
  if (configuration.case !== "oidc") return common;
  const { case: kind, value } = configuration;
  return { ...common, configuration: { case: kind, value: oidcV2(value) } };
}

const oidcV1 = wireCompatible(IdentityProvider_OIDCSchema, v1.IdentityProvider_OIDCSchema);
const scimV1 = wireCompatible(IdentityProvider_SCIMSchema, v1.IdentityProvider_SCIMSchema);

/** Translates an identity provider to version 1. */
export function providerV1(provider: IdentityProvider): v1.IdentityProvider {
  const { uid, name, description, defaultRole, configuration, scim } = provider;
  const shown = create(v1.IdentityProviderSchema, {
    id: uid,
    name,
    description,
    defaultRole,
    scim: scim && scimV1(scim),
  });
  if (configuration.case === "oidc") {
    shown.configuration = { case: "oidc", value: oidcV1(configuration.value) };
  }
  return shown;
}
