import { Link, useLocation } from "@tanstack/react-router";

/** The tabs of a screen, by the name that the URL has. */
export type TabNames = Readonly<Record<string, string>>;

/** The open tab: the first, unless the URL names another. */
export function useTab<Tabs extends TabNames>(tabs: Tabs): keyof Tabs & string {
  const { tab } = useLocation().search as { readonly tab?: string };
  const [first = ""] = Object.keys(tabs);
  return tab !== undefined && Object.hasOwn(tabs, tab) ? tab : first;
}

/** The parts of a screen, each with a URL. Filters and pages of one part do not apply to the others. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: TabNames }) {
  const current = useTab(tabs);
  const [first] = Object.keys(tabs);
  return (
    <nav className="tabs" aria-label={label}>
      <ul>
        {Object.entries(tabs).map(([name, text]) => (
          <li key={name}>
            <Link
              to="."
              search={(name === first ? {} : { tab: name }) as never}
              // By itself, the link of the first tab would count as active on all of them.
              activeOptions={{ exact: true, includeSearch: true }}
              activeProps={{}}
              {...(name === current && { "aria-current": "page" as const })}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
