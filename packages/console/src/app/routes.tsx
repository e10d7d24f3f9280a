import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
} from "@tanstack/react-router";
import { Failed } from "../ui/feedback.tsx";
import { listSearch, ScreenContext } from "./location.ts";
import { NotFound } from "./not-found.tsx";
import { GLOBAL_SCREENS, GROUP_SCREENS, HOME_SCREEN, RESOURCE_SCREENS } from "./screens.ts";
import { Shell } from "./shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <Failed error={error as Error} />,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: HOME_SCREEN,
});

function screen(path: string, Component: RouteComponent) {
  const name = path.split("/")[0] ?? "";
  const { preload } = Component;
  const component = () => (
    <ScreenContext value={name}>
      <Component />
    </ScreenContext>
  );
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: listSearch,
    component: Object.assign(component, preload && { preload }),
  });
}

const screens = [
  ...Object.entries(GLOBAL_SCREENS).map(([name, { component }]) => screen(name, component)),
  ...Object.entries({ ...GROUP_SCREENS, ...RESOURCE_SCREENS }).map(([name, { component }]) =>
    // The uid is the rest of the path.
    screen(`${name}/$`, component),
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([home, ...screens]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingMs: 300,
});
