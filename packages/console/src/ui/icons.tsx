/** Line icons of 24 units; decorative, so hidden from screen readers. */
const PATHS = {
  alert: "M12 4l9 16H3zM12 10v4M12 17h.01",
  bolt: "M13 3 5 14h6l-1 7 8-11h-6z",
  box: "M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8",
  bug: "M8 9h8v6a4 4 0 0 1-8 0zM9 9a3 3 0 0 1 6 0M4 8l4 2M20 8l-4 2M3 14h5M16 14h5M5 20l3.5-3M19 20l-3.5-3",
  building: "M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3",
  check: "M5 13l4 4L19 7",
  chevron: "M9 6l6 6-6 6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  disk: "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0",
  door: "M13 4h6v16h-6M4 12h10M10 8l4 4-4 4",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  folder: "M3 7V5h6l2 2h10v12H3z",
  key: "M15 9a4 4 0 1 1-8 0 4 4 0 0 1 8 0M14 12l6 6M17 15l2-2",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  more: "M12 5v.01M12 12v.01M12 19v.01",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21a8 8 0 0 1 16 0",
  plus: "M12 5v14M5 12h14",
  robot: "M6 9h12v10H6zM12 9V5M9 13h.01M15 13h.01M9 16h6",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l5 5",
  send: "M21 3 3 10l7 4 4 7zM21 3 10 14",
  shield: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
  sort: "M8 10l4-4 4 4M8 14l4 4 4-4",
  terminal: "M4 5h16v14H4zM8 10l3 2.5L8 15M13 15h3",
  window: "M4 5h16v14H4zM4 9h16M7 7h.01M10 7h.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A bollard on a quay above water. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M9 4h14a3.5 3.5 0 0 1 0 7h-1l1 8H9l1-8H9a3.5 3.5 0 0 1 0-7z" />
      <path d="M3 20.5h26V24H3z" />
      <path className="water" d="M3 28.5q3.25-2.5 6.5 0t6.5 0 6.5 0 6.5 0" />
    </svg>
  );
}
