/** The products and components that events are about, and how those of documents are merged. */
import { create, equals } from "@bufbuild/protobuf";
import { productKey } from "@wharf/advisories/publish";
import { type AdvisoryEvent, AdvisoryEventSchema } from "@wharf/contract";

/** As the API limits the products of an event. */
const MAX_PRODUCTS = 200;

/** The package URLs of an event. */
export type EventScope = Pick<AdvisoryEvent, "products" | "subcomponents">;

/** Whether a package URL is one that documents of this installation have for the stored event. */
export type IsOwnName = (purl: string) => boolean;

/**
 * Whether a stored event already has the scope of an imported one. Documents of this installation name those of an
 * event that has none; other names come from another source, which the event is limited to.
 */
export function isKnownScope(
  stored: EventScope,
  imported: EventScope,
  isOwnName: IsOwnName,
): boolean {
  if (imported.products.length === 0) return stored.products.length === 0;
  return (
    areKnown(stored.products, imported.products, isOwnName) &&
    areKnown(stored.subcomponents, imported.subcomponents, isOwnName)
  );
}

function areKnown(stored: readonly string[], imported: readonly string[], isOwnName: IsOwnName) {
  if (stored.length === 0) return imported.every(isOwnName);
  return keysOf(imported).isSubsetOf(keysOf(stored));
}

/**
 * Whether one event can express both: for the same products, or for the same components. Events about other products
 * must also say the same.
 */
export function canMerge(stored: AdvisoryEvent, imported: AdvisoryEvent): boolean {
  if (stored.products.length === 0 || imported.products.length === 0) return true;
  const [before, after] = [keysOf(stored.products), keysOf(imported.products)];
  const [inside, within] = [keysOf(stored.subcomponents), keysOf(imported.subcomponents)];
  const isSameInside = isSameSet(inside, within);
  if (before.isDisjointFrom(after)) return isSameInside && isSameContent(stored, imported);
  return isSameInside || inside.size === 0 || isSameSet(before, after);
}

/**
 * The products and components of the merged event. Documents about different products have the same event. One
 * without products is about all versions. Too many products are all versions, but clear no more than those that are
 * named.
 */
export function mergeScope(
  stored: EventScope | undefined,
  imported: AdvisoryEvent,
  isOwnName: IsOwnName,
): EventScope {
  const isKnown = stored !== undefined && isKnownScope(stored, imported, isOwnName);
  if (isKnown) return { products: stored.products, subcomponents: stored.subcomponents };
  const products = union(stored?.products ?? [], imported.products);
  const isClearance = imported.type.case === "falsePositiveDetermination";
  if (imported.products.length === 0 || (products.length > MAX_PRODUCTS && !isClearance)) {
    return { products: [], subcomponents: [] };
  }
  return {
    products: products.slice(0, MAX_PRODUCTS),
    subcomponents: union(stored?.subcomponents ?? [], imported.subcomponents).slice(
      0,
      MAX_PRODUCTS,
    ),
  };
}

function isSameContent({ type: one }: AdvisoryEvent, { type: other }: AdvisoryEvent): boolean {
  const [before, after] = [one, other].map((type) => create(AdvisoryEventSchema, { type }));
  return before !== undefined && after !== undefined && equals(AdvisoryEventSchema, before, after);
}

function union(one: readonly string[], other: readonly string[]): string[] {
  const all = new Map([...other, ...one].map((purl) => [productKey(purl), purl]));
  return [...new Set([...one, ...other].map((purl) => all.get(productKey(purl)) as string))];
}

function keysOf(purls: readonly string[]): ReadonlySet<string> {
  return new Set(purls.map(productKey));
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && one.isSubsetOf(other);
}
