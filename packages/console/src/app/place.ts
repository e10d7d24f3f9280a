import { useLocation, useNavigate } from "@tanstack/react-router";
import type { ListSearch, Screen } from "./routes.tsx";

/** Where the page is: nothing but the URL says so. */
export interface Place {
  readonly screen: string;
  /** The uid of the organization or folder; empty outside of all. */
  readonly uid: string;
}

export function usePlace(): Place {
  const pathname = useLocation({ select: (location) => location.pathname });
  const [screen = "", ...segments] = pathname.replace(/^\/(console\/)?/, "").split("/");
  return { screen, uid: segments.filter(Boolean).map(decodeURIComponent).join("/") };
}

/** The uids of a place and the folders above it, outermost first. */
export function pathOf(uid: string): string[] {
  const segments = uid.split("/");
  return segments.map((_, at) => segments.slice(0, at + 1).join("/"));
}

/** The path of a screen at a place, for links. */
export function placeLink(screen: Screen, uid: string): { to: string; params: { _splat: string } } {
  return { to: `/${screen}/$`, params: { _splat: uid } };
}

/** What of a list is shown, and a function that changes it; in the URL. */
export function useListSearch(): [
  ListSearch & Record<string, string | number>,
  (change: Record<string, string | number | undefined>) => void,
] {
  const search = useLocation().search as ListSearch & Record<string, string | number>;
  const navigate = useNavigate();
  return [
    search,
    (change) =>
      navigate({
        to: ".",
        search: (previous: Record<string, unknown>) =>
          clean({ ...previous, page: undefined, ...change }),
        replace: true,
      } as never),
  ];
}

function clean(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ""),
  );
}
