import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { Failed } from "../ui/feedback.tsx";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";

/** The part of a list that a page shows; in the URL, so that links lead back to it. */
export interface ListSearch {
  readonly page?: number;
  readonly sort?: string;
  readonly q?: string;
}

/** Ignores what is not of the right type: people edit URLs. */
function listSearch(given: Record<string, unknown>): ListSearch & Record<string, string | number> {
  const text = Object.entries(given).filter(
    ([name, value]) => name !== "page" && typeof value === "string" && value !== "",
  ) as [string, string][];
  const page = Number(given.page);
  return {
    ...Object.fromEntries(text),
    ...(Number.isInteger(page) && page > 1 && { page }),
  };
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <Failed error={error as Error} />,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/organizations" });
  },
});

const organizations = createRoute({
  getParentRoute: () => root,
  path: "organizations",
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import("../screens/organizations.tsx"), "Organizations"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "account",
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import("../screens/account.tsx"), "Account"),
});

/** The screens of a place: its uid is the rest of the path. */
const SCREENS = {
  folders: lazyRouteComponent(() => import("../screens/folders.tsx"), "Folders"),
  access: lazyRouteComponent(() => import("../screens/access.tsx"), "AccessScreen"),
  identities: lazyRouteComponent(() => import("../screens/identities.tsx"), "Identities"),
  roles: lazyRouteComponent(() => import("../screens/roles.tsx"), "Roles"),
  repos: lazyRouteComponent(() => import("../screens/repos.tsx"), "Repos"),
  events: lazyRouteComponent(() => import("../screens/events.tsx"), "Events"),
  audit: lazyRouteComponent(() => import("../screens/audit.tsx"), "AuditLog"),
} as const;

export type Screen = keyof typeof SCREENS;

const places = Object.entries(SCREENS).map(([name, component]) =>
  createRoute({
    getParentRoute: () => root,
    path: `${name}/$`,
    validateSearch: listSearch,
    component,
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([home, organizations, account, ...places]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingMs: 300,
});
