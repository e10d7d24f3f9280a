import { type Group, type IdentityProvider, isUid } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { WharfError } from "../../lib/errors.ts";

/** As many as users can scan. */
const MAX_PROVIDERS_SHOWN = 12;

/**
 * The identity providers for a uid, or for the name of a verified organization. Names that are not
 * verified resolve to nothing, because anyone can take them.
 */
export async function providersFor(
  deps: ResourceStore,
  selector: string,
): Promise<IdentityProvider[]> {
  const { reader } = deps.store;
  if (isUid(selector)) {
    const provider = await deps.catalog.identityProviders.find(reader, selector);
    return provider === undefined ? [] : [provider];
  }
  const filter = { column: "verified_name", value: selector };
  const [organization] = selector === "" ? [] : await deps.catalog.groups.where(reader, filter);
  if (organization === undefined) return [];
  return deps.catalog.identityProviders.where(reader, {
    column: "root",
    value: organization.uid,
  });
}

/** The first provider for a uid or name; throws NOT_FOUND if there is none. */
export async function requireProvider(
  deps: ResourceStore,
  selector: string,
): Promise<IdentityProvider> {
  const [provider] = await providersFor(deps, selector);
  if (provider !== undefined) return provider;
  throw new WharfError("NOT_FOUND", "the identity provider does not exist");
}

export interface ShownProvider {
  readonly uid: string;
  readonly name: string;
  readonly organization: string;
}

/**
 * The providers to offer on the sign-in page: those of verified organizations, which are public.
 */
export async function shownProviders(deps: ResourceStore): Promise<ShownProvider[]> {
  const { reader } = deps.store;
  const shown: ShownProvider[] = [];
  for (const { uid: root, name: organization } of await verifiedOrganizations(deps)) {
    const providers = await deps.catalog.identityProviders.where(reader, {
      column: "root",
      value: root,
    });
    shown.push(...providers.map(({ uid, name }) => ({ uid, name, organization })));
    if (shown.length >= MAX_PROVIDERS_SHOWN) break;
  }
  return shown.slice(0, MAX_PROVIDERS_SHOWN);
}

/** The first ones by name. */
function verifiedOrganizations(deps: ResourceStore): Promise<Group[]> {
  return deps.catalog.groups.marked(deps.store.reader, "verified_name", MAX_ORGANIZATIONS);
}

/** Bounds lookups: organizations without a provider cost one each. */
const MAX_ORGANIZATIONS = 50;
