import { useLocation, useNavigate } from "@tanstack/react-router";
import { createContext, useContext, useRef } from "react";
import { GROUP_SCREENS, type GroupScreenName, RESOURCE_SCREENS } from "./screens.ts";

/** The location of the page, derived from the URL only. */
export interface ScreenLocation {
  /** The screen of the navigation. */
  readonly screen: string;
  /** The uid of the organization or folder; empty outside of all. */
  readonly uid: string;
  /** The uid of the resource, on the screen of one. */
  readonly resource: string;
}

/** The screen that a component is part of; empty for what surrounds them. */
export const ScreenContext = createContext("");

export function useScreenLocation(): ScreenLocation {
  const pathname = useLocation({ select: (location) => location.pathname });
  const own = useContext(ScreenContext);
  // The URL changes before the screen does: one that is about to leave must not read what the next one is about.
  const last = useRef(pathname);
  if (own === "" || segmentsOf(pathname)[0] === own) last.current = pathname;
  return screenLocationOf(last.current);
}

function segmentsOf(pathname: string): string[] {
  return pathname.replace(/^\/(console\/)?/, "").split("/");
}

export function screenLocationOf(pathname: string): ScreenLocation {
  const [screen = "", ...rest] = segmentsOf(pathname);
  const segments = rest.filter(Boolean).map(decodeURIComponent);
  const one = RESOURCE_SCREENS[screen];
  if (one === undefined) return { screen, uid: segments.join("/"), resource: "" };
  const uid = segments.slice(0, segments.length - one.depth).join("/");
  return { screen: one.list, uid, resource: segments.join("/") };
}

/** Whether a name is that of a screen of groups. */
export function isGroupScreen(name: string): name is GroupScreenName {
  return Object.hasOwn(GROUP_SCREENS, name);
}

/** The uids of a group and the folders above it, outermost first. */
export function pathOf(uid: string): string[] {
  const segments = uid.split("/");
  return segments.map((_, at) => segments.slice(0, at + 1).join("/"));
}

/** The uid of the organization that something is in. */
export function rootOf(uid: string): string {
  return uid.split("/")[0] ?? "";
}

/** The uid of the group that a resource is in. */
export function parentOf(uid: string): string {
  return uid.split("/").slice(0, -1).join("/");
}

/** The screen of a group or resource, for links. */
export function screenLink(
  screen: GroupScreenName | keyof typeof RESOURCE_SCREENS,
  uid: string,
): { to: string; params: { _splat: string } } {
  return { to: `/${screen}/$`, params: { _splat: uid } };
}

/** Page, order and filters of a list, stored in the URL. */
export interface ListSearch {
  readonly page?: number;
  readonly sort?: string;
  readonly [filter: string]: string | number | undefined;
}

/** Ignores what is not of the right type: people edit URLs. */
export function listSearch(given: Record<string, unknown>): ListSearch {
  const text = Object.entries(given).filter(
    ([name, value]) => name !== "page" && typeof value === "string" && value !== "",
  ) as [string, string][];
  const page = Number(given.page);
  return {
    ...Object.fromEntries(text),
    ...(Number.isInteger(page) && page > 1 && { page }),
  };
}

/** Page, order and filters of a list, and a function that changes them. */
export function useListSearch(): [
  ListSearch,
  (change: Record<string, string | number | undefined>) => void,
] {
  const search = useLocation().search as ListSearch;
  const navigate = useNavigate();
  return [
    search,
    (change) =>
      navigate({
        to: ".",
        search: (previous: Record<string, unknown>) =>
          clean({ ...previous, page: undefined, cursor: undefined, ...change }),
        replace: true,
      } as never),
  ];
}

export function clean(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ""),
  );
}
