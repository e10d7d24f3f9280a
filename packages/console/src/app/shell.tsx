import { Link, Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Session, session } from "../api/session.ts";
import { texts } from "../texts.ts";
import { Loading } from "../ui/feedback.tsx";
import { Icon, type IconName, Logo } from "../ui/icons.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { usePlace } from "./place.ts";
import type { Screen } from "./routes.tsx";

/** The screens of a place, in the order of the navigation. */
const SCREENS: readonly (readonly [Screen, IconName])[] = [
  ["folders", "folder"],
  ["access", "key"],
  ["identities", "robot"],
  ["roles", "shield"],
  ["repos", "box"],
  ["events", "bolt"],
  ["audit", "list"],
];

/** What surrounds every screen. Shows nothing before it is known who is signed in. */
export function Shell() {
  const [person, setPerson] = useState<Session>();
  useEffect(() => {
    session().then(setPerson);
  }, []);
  if (person === undefined) return <Loading />;
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        {texts.shell.skip}
      </a>
      <header className="top">
        <Link to="/organizations" className="brand">
          <Logo />
          <span>Wharf</span>
        </Link>
        <CommandPalette />
        <AccountMenu person={person} />
      </header>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

function Navigation() {
  const { uid } = usePlace();
  return (
    <nav className="side" aria-label={texts.shell.navigation}>
      <ul>
        <li>
          <Link to="/organizations" activeProps={{ "aria-current": "page" }}>
            <Icon name="building" />
            {texts.screens.organizations}
          </Link>
        </li>
      </ul>
      {uid !== "" && (
        <ul>
          {SCREENS.map(([screen, icon]) => (
            <li key={screen}>
              <Link
                to={`/${screen}/$`}
                params={{ _splat: uid }}
                activeProps={{ "aria-current": "page" }}
                activeOptions={{ includeSearch: false }}
              >
                <Icon name={icon} />
                {texts.screens[screen]}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}
