import { type MouseEvent, useSyncExternalStore } from "react";

/** The page of the reference, derived from the URL only. */
export interface Route {
  readonly kind: "overview" | "operation" | "schema";
  readonly name: string;
}

const BASE = "/docs/";

export function pathOf({ kind, name }: Route): string {
  return kind === "overview" ? BASE : `${BASE}${kind}/${encodeURIComponent(name)}`;
}

const watchers = new Set<() => void>();
window.addEventListener("popstate", () => {
  for (const watcher of watchers) watcher();
});

export function useRoute(): Route {
  const pathname = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => window.location.pathname,
  );
  const [kind, name = ""] = pathname.slice(BASE.length).split("/");
  if (kind !== "operation" && kind !== "schema") return { kind: "overview", name: "" };
  return { kind, name: decoded(name) };
}

/** People edit URLs. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The properties of a link to a page: a click stays within this document, unless a new tab is wanted. */
export function linkTo(route: Route) {
  const href = pathOf(route);
  return {
    href,
    onClick(event: MouseEvent) {
      const { button, metaKey, ctrlKey, shiftKey } = event;
      if (button !== 0 || metaKey || ctrlKey || shiftKey) return;
      event.preventDefault();
      window.history.pushState(null, "", href);
      for (const watcher of watchers) watcher();
      document.getElementById("content")?.focus();
      window.scrollTo(0, 0);
    },
  };
}
