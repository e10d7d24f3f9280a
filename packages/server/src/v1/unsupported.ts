import type { UnsupportedApi, UnsupportedRoute } from "../wire/unsupported.ts";

/**
 * The methods of Chainguard's public API that this server does not implement: software catalogs and builds. They return
 * UNIMPLEMENTED instead of NOT_FOUND, which would look like a mistyped path.
 */

/** The prefix of the public names of all services. */
const PACKAGE = "chainguard.platform.";

/** REST routes by service, or by method of a service that is otherwise supported. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  "iam.Groups/RequestGroupAccess": ["POST /iam/v1/groups/{group_id=**}:requestGroupAccess"],
  "iam.v2beta1.GroupsService/RequestGroupAccess": [
    "POST /iam/v2beta1/groups/{group_uid=**}:requestGroupAccess",
  ],
  "events.Identities": ["PATCH /iam/v1/identities/metadata"],
  "registry.Registry/ListBuildReports": ["GET /registry/v1/buildreports"],
  "registry.Registry/GetBuildStatus": ["GET /registry/v1/buildstatus"],
  "registry.Entitlements/CreateEntitlement": ["POST /registry/v1/entitlements/{parent=**}"],
  "registry.Entitlements/DeleteEntitlement": ["DELETE /registry/v1/entitlements/{id=**}"],
  "registry.Entitlements/AddEntitlementImages": [ofEntitlements("addImages")],
  "registry.Entitlements/RemoveEntitlementImages": [ofEntitlements("removeImages")],
  "registry.Entitlements/SwapEntitlementImages": [ofEntitlements("swapImages")],
  "registry.Charts": ["* /registry/v1/repos/{parent_id=**}:addChart", "* /registry/v1/charts:find"],
  "registry.Policies": ["* /registry/v1/repos/{repo_id=**}:checkPolicies"],
  "registry.Apko": ["* /apko/v1/{rest=**}"],
  "registry.v2beta1.OverlaysService": ["* /registry/v2beta1/overlays/{rest=**}"],
  "registry.v2beta1.OverlayBindingsService": ["* /registry/v2beta1/overlayBindings/{rest=**}"],
  "matcher.ImageMatcher": ["* /image-recommendation/v1/match"],
};

/** Unsupported areas and their versions. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  actions: ["v1", "v1alpha1"],
  argos: ["v1"],
  ecosystems: ["v1"],
  guardener: ["v1alpha1"],
  libraries: ["v1", "v2beta1"],
  packages: ["v1"],
  policies: ["v1"],
  skills: ["v1", "v1alpha1"],
  tenant: ["v1"],
};

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function ofEntitlements(verb: string): string {
  return `POST /registry/v1/entitlements/{parent=**}:${verb}`;
}

/** The unsupported methods, for the wire. */
export const UNSUPPORTED_API: UnsupportedApi = {
  routes: [
    ...Object.entries(NAMED).flatMap(routesOf),
    ...Object.entries(AREAS).flatMap(areaRoutes),
  ],
  nameOf(path) {
    const [service = "", method = ""] = path.slice(1).split("/");
    const own = service.replace(".v2.", ".v2beta1.");
    if (!own.startsWith(PACKAGE)) return undefined;
    const name = own.slice(PACKAGE.length);
    const [area = ""] = name.split(".");
    const isUnsupported = Object.hasOwn(NAMED, name) || Object.hasOwn(AREAS, area);
    if (isUnsupported) return service;
    return Object.hasOwn(NAMED, `${name}/${method}`) ? `${service}/${method}` : undefined;
  },
};

function routesOf([name, paths]: readonly [string, readonly string[]]): UnsupportedRoute[] {
  return paths.flatMap((path) => {
    const [verb = "", template = ""] = path.split(" ");
    const verbs = verb === "*" ? VERBS : [verb];
    return verbs.map((httpMethod) => ({ httpMethod, template, unsupported: PACKAGE + name }));
  });
}

function areaRoutes([area, versions]: readonly [string, readonly string[]]): UnsupportedRoute[] {
  return versions.flatMap((version) => routesOf([area, [`* /${area}/${version}/{rest=**}`]]));
}
