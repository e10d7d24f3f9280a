import { type Group, type IdentityProvider, isUid } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { WharfError } from "../../lib/errors.ts";

/** As many as fit on a page without looking for one's own. */
const MOST_SHOWN = 12;

/**
 * The identity providers that a word stands for: a provider's uid, or the name of an organization
 * that the operator has verified. Names that anyone could have taken stand for nothing.
 */
export async function providersFor(engine: Engine, word: string): Promise<IdentityProvider[]> {
  const { reader } = engine.store;
  if (isUid(word)) {
    const provider = await engine.catalog.identityProviders.find(reader, word);
    return provider === undefined ? [] : [provider];
  }
  const filter = { column: "verified_name", value: word };
  const [organization] = word === "" ? [] : await engine.catalog.groups.where(reader, filter);
  if (organization === undefined) return [];
  return engine.catalog.identityProviders.where(reader, {
    column: "root",
    value: organization.uid,
  });
}

/** The one provider that a word stands for. */
export async function onlyProvider(engine: Engine, word: string): Promise<IdentityProvider> {
  const [provider] = await providersFor(engine, word);
  if (provider !== undefined) return provider;
  throw new WharfError("NOT_FOUND", "the identity provider does not exist");
}

export interface ShownProvider {
  readonly uid: string;
  readonly name: string;
  readonly organization: string;
}

/** The providers to choose from: those of verified organizations, which are no secret. */
export async function shownProviders(engine: Engine): Promise<ShownProvider[]> {
  const { reader } = engine.store;
  const shown: ShownProvider[] = [];
  for (const { uid: root, name: organization } of await verifiedOrganizations(engine)) {
    const providers = await engine.catalog.identityProviders.where(reader, {
      column: "root",
      value: root,
    });
    shown.push(...providers.map(({ uid, name }) => ({ uid, name, organization })));
    if (shown.length >= MOST_SHOWN) break;
  }
  return shown.slice(0, MOST_SHOWN);
}

/** The first of them by name; most installations have one. */
function verifiedOrganizations(engine: Engine): Promise<Group[]> {
  return engine.catalog.groups.marked(engine.store.reader, "verified_name", MOST_LOOKED_AT);
}

/** Verified organizations that have no provider cost a look-up each. */
const MOST_LOOKED_AT = 50;
