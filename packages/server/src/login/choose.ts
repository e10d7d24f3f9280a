import { type Group, type IdentityProvider, isUid, rootOf } from "@wharf/contract";
import type { Engine } from "../engine/engine.ts";
import { WharfError } from "../errors.ts";

/** As many as fit on a page without looking for one's own. */
const MOST_SHOWN = 12;

/**
 * The identity providers that a word stands for: a provider's uid, or the name of an organisation
 * that the operator has verified. Names that anyone could have taken stand for nothing.
 *
 * @example const [provider] = await providersFor(engine, "example.com");
 */
export async function providersFor(engine: Engine, word: string): Promise<IdentityProvider[]> {
  const { reader } = engine.store;
  if (isUid(word)) {
    const provider = await engine.identityProviders.find(reader, word);
    return provider === undefined ? [] : [provider];
  }
  const filter = { column: "verified_name", value: word };
  const [organisation] = word === "" ? [] : await engine.groups.where(reader, filter);
  if (organisation === undefined) return [];
  return engine.identityProviders.where(reader, { column: "root", value: organisation.uid });
}

/**
 * The one provider that a word stands for.
 *
 * @example const provider = await onlyProvider(engine, form.get("provider"));
 */
export async function onlyProvider(engine: Engine, word: string): Promise<IdentityProvider> {
  const [provider] = await providersFor(engine, word);
  if (provider !== undefined) return provider;
  throw new WharfError("NOT_FOUND", "there is no such identity provider");
}

export interface ShownProvider {
  readonly uid: string;
  readonly name: string;
  readonly organisation: string;
}

/**
 * The providers to choose from: those of verified organisations, which are no secret.
 *
 * @example choosePage({ login, providers: await shownProviders(engine), … })
 */
export async function shownProviders(engine: Engine): Promise<ShownProvider[]> {
  const { reader } = engine.store;
  const providers = await engine.identityProviders.first(reader, MOST_SHOWN);
  const roots = await engine.groups.findMany(
    reader,
    providers.map(({ uid }) => rootOf(uid)),
  );
  return providers.flatMap((provider) => shown(provider, roots.get(rootOf(provider.uid))));
}

/** As the page shows it; nothing where its organisation is not verified. */
function shown({ uid, name }: IdentityProvider, organisation: Group | undefined) {
  return organisation?.verified ? [{ uid, name, organisation: organisation.name }] : [];
}
