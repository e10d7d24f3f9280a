import { Link } from "@tanstack/react-router";
import { useListSearch } from "../app/place.ts";

/** The address of the first tab is the beginning of those of the others. */
const EXACT = { exact: true, includeSearch: true };

/** Parts of a screen, each with an address of its own: the chosen one is in the URL. */
export function Tabs<Name extends string>({
  label,
  tabs,
  parameter = "tab",
}: {
  readonly label: string;
  /** The texts by name; the first tab is shown where the URL names none. */
  readonly tabs: Readonly<Record<Name, string>>;
  readonly parameter?: string;
}) {
  const chosen = useTab(tabs, parameter);
  const [first] = Object.keys(tabs);
  return (
    <nav className="tabs" aria-label={label}>
      <ul>
        {(Object.entries(tabs) as [Name, string][]).map(([name, text]) => (
          <li key={name}>
            <Link
              to="."
              // What was filtered on another tab does not apply to this one.
              search={(name === first ? {} : { [parameter]: name }) as never}
              activeOptions={EXACT}
              aria-current={name === chosen ? "page" : undefined}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The chosen tab. */
export function useTab<Name extends string>(
  tabs: Readonly<Record<Name, string>>,
  parameter = "tab",
): Name {
  const [search] = useListSearch();
  const named = String(search[parameter] ?? "");
  const names = Object.keys(tabs) as [Name, ...Name[]];
  return names.find((one) => one === named) ?? names[0];
}
