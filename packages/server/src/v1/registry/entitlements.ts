import { entitlementsV1, productsV1, registryV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, constant } from "../adapter.ts";

const { Entitlements, Entitlement_Type, GetEffectiveEntitlementsResponse_Plan } = entitlementsV1;
const { CatalogTier } = registryV1;

const ALL_TIERS = [
  CatalogTier.APPLICATION,
  CatalogTier.BASE,
  CatalogTier.FIPS,
  CatalogTier.AI,
  CatalogTier.DEVTOOLS,
  CatalogTier.COMMERCIAL,
];

const UNLIMITED = -1;

/**
 * Entitlements, which clients of the public contract read before they show or pull images. Nothing is sold here: every
 * organization is entitled to everything, and to no product that is not here.
 */
export function entitlementMethods(): AdaptedMethod[] {
  const { method } = Entitlements;
  const { LibraryEntitlements, PackageEntitlements, EcosystemEntitlements, SkillEntitlements } =
    productsV1;
  return [
    constant(method.listEntitlements, ({ parent }) => ({
      items: [{ id: parent, type: Entitlement_Type.PRODUCTION, tiers: ALL_TIERS }],
    })),
    constant(method.listEntitlementImages),
    constant(method.listEntitlementCatalogImages),
    constant(method.summary),
    constant(method.getEffectiveEntitlements, () => ({
      plan: GetEffectiveEntitlementsResponse_Plan.CATALOG,
      activeTiers: ALL_TIERS,
      maxTotalImages: UNLIMITED,
      swapQuota: UNLIMITED,
    })),
    constant(method.getFeatures, () => ({ uniqueTags: true })),
    constant(LibraryEntitlements.method.list),
    constant(PackageEntitlements.method.list),
    constant(EcosystemEntitlements.method.list),
    constant(SkillEntitlements.method.list),
  ];
}
