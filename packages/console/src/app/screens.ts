import { lazyRouteComponent, type RouteComponent } from "@tanstack/react-router";
import type { IconName } from "../ui/icons.tsx";

/** A part of the navigation. */
export type Section = "group" | "access" | "registry" | "activity";

/** A screen of an organization or folder. Every module of a screen exports it as `Screen`. */
interface GroupScreen {
  readonly section: Section;
  readonly icon: IconName;
  readonly component: RouteComponent;
}

/** The screens of an organization or folder, in the order of the navigation: `/NAME/UID`. */
export const GROUP_SCREENS = {
  folders: {
    section: "group",
    icon: "folder",
    component: lazyRouteComponent(() => import("../screens/organizations/folders.tsx"), "Screen"),
  },
  access: {
    section: "access",
    icon: "key",
    component: lazyRouteComponent(() => import("../screens/access/access.tsx"), "Screen"),
  },
  people: {
    section: "access",
    icon: "person",
    component: lazyRouteComponent(() => import("../screens/people/people.tsx"), "Screen"),
  },
  identities: {
    section: "access",
    icon: "robot",
    component: lazyRouteComponent(() => import("../screens/identities/identities.tsx"), "Screen"),
  },
  roles: {
    section: "access",
    icon: "shield",
    component: lazyRouteComponent(() => import("../screens/roles/roles.tsx"), "Screen"),
  },
  providers: {
    section: "access",
    icon: "door",
    component: lazyRouteComponent(() => import("../screens/providers/providers.tsx"), "Screen"),
  },
  repos: {
    section: "registry",
    icon: "box",
    component: lazyRouteComponent(() => import("../screens/registry/repos.tsx"), "Screen"),
  },
  storage: {
    section: "registry",
    icon: "disk",
    component: lazyRouteComponent(() => import("../screens/storage/storage.tsx"), "Screen"),
  },
  vulnerabilities: {
    section: "registry",
    icon: "bug",
    component: lazyRouteComponent(() => import("../screens/exposure/exposure.tsx"), "Screen"),
  },
  advisories: {
    section: "registry",
    icon: "alert",
    component: lazyRouteComponent(() => import("../screens/advisories/advisories.tsx"), "Screen"),
  },
  events: {
    section: "activity",
    icon: "bolt",
    component: lazyRouteComponent(() => import("../screens/events/events.tsx"), "Screen"),
  },
  subscriptions: {
    section: "activity",
    icon: "send",
    component: lazyRouteComponent(() => import("../screens/events/subscriptions.tsx"), "Screen"),
  },
  audit: {
    section: "activity",
    icon: "list",
    component: lazyRouteComponent(() => import("../screens/audit/audit-log.tsx"), "Screen"),
  },
} as const satisfies Readonly<Record<string, GroupScreen>>;

export type GroupScreenName = keyof typeof GROUP_SCREENS;

/** A screen of one resource, which is below a group. */
interface ResourceScreen {
  /** The screen of the group that lists such resources: it is the current one in the navigation. */
  readonly list: GroupScreenName;
  /** The number of segments of its uid after that of its group. */
  readonly depth: number;
  readonly component: RouteComponent;
}

/** The screens of one resource: `/NAME/UID`. */
export const RESOURCE_SCREENS: Readonly<Record<string, ResourceScreen>> = {
  start: {
    list: "folders",
    depth: 0,
    component: lazyRouteComponent(() => import("../screens/start/start.tsx"), "Screen"),
  },
  "new-identity": {
    list: "identities",
    depth: 0,
    component: lazyRouteComponent(() => import("../screens/identities/new-identity.tsx"), "Screen"),
  },
  "new-provider": {
    list: "providers",
    depth: 0,
    component: lazyRouteComponent(() => import("../screens/providers/new-provider.tsx"), "Screen"),
  },
  provider: {
    list: "providers",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/providers/provider.tsx"), "Screen"),
  },
  identity: {
    list: "identities",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/identities/identity.tsx"), "Screen"),
  },
  repo: {
    list: "repos",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/registry/repo.tsx"), "Screen"),
  },
  tag: {
    list: "repos",
    depth: 2,
    component: lazyRouteComponent(() => import("../screens/registry/tag.tsx"), "Screen"),
  },
  image: {
    list: "repos",
    depth: 2,
    component: lazyRouteComponent(() => import("../screens/registry/image.tsx"), "Screen"),
  },
  vulnerability: {
    list: "vulnerabilities",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/exposure/vulnerability.tsx"), "Screen"),
  },
  package: {
    list: "vulnerabilities",
    depth: 0,
    component: lazyRouteComponent(() => import("../screens/exposure/package.tsx"), "Screen"),
  },
  source: {
    list: "vulnerabilities",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/exposure/sources/source.tsx"), "Screen"),
  },
  compare: {
    list: "repos",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/exposure/compare.tsx"), "Screen"),
  },
  advisory: {
    list: "advisories",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/advisories/advisory.tsx"), "Screen"),
  },
  event: {
    list: "events",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/events/event.tsx"), "Screen"),
  },
  subscription: {
    list: "subscriptions",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/events/subscription.tsx"), "Screen"),
  },
  "audit-entry": {
    list: "audit",
    depth: 1,
    component: lazyRouteComponent(() => import("../screens/audit/audit-entry.tsx"), "Screen"),
  },
  delivery: {
    list: "subscriptions",
    depth: 2,
    component: lazyRouteComponent(() => import("../screens/events/delivery.tsx"), "Screen"),
  },
};

/** The screen of the console without a path. */
export const HOME_SCREEN: RouteComponent = lazyRouteComponent(
  () => import("../screens/start/home.tsx"),
  "Screen",
);

/** A screen that belongs to no group. */
interface GlobalScreen {
  readonly component: RouteComponent;
}

/** The screens outside of all groups: `/NAME`. */
export const GLOBAL_SCREENS = {
  organizations: {
    component: lazyRouteComponent(
      () => import("../screens/organizations/organizations.tsx"),
      "Screen",
    ),
  },
  registries: {
    component: lazyRouteComponent(() => import("../screens/registry/registries.tsx"), "Screen"),
  },
  operator: {
    component: lazyRouteComponent(() => import("../screens/operator/operator.tsx"), "Screen"),
  },
  account: {
    component: lazyRouteComponent(() => import("../screens/account/account.tsx"), "Screen"),
  },
  "signed-in": {
    component: lazyRouteComponent(() => import("../screens/account/signed-in.tsx"), "Screen"),
  },
} as const satisfies Readonly<Record<string, GlobalScreen>>;
