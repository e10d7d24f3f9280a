import { Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { type Session, session } from "../api/session.ts";
import { texts } from "../texts/common.ts";
import { Loading } from "../ui/feedback.tsx";
import { Icon, type IconName, Logo } from "../ui/icons.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { screenLink, usePlace } from "./place.ts";
import { PLACE_SCREENS, type PlaceScreenName, type Section } from "./screens.ts";

/** Loaded after the first screen is shown. */
const LiveUpdates = lazy(async () => ({
  default: (await import("./live-updates.tsx")).LiveUpdates,
}));

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
      <Suspense>
        <LiveUpdates />
      </Suspense>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

const SECTIONS: readonly Section[] = ["place", "access", "registry", "activity"];

function Navigation() {
  const { uid, screen: current } = usePlace();
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
      {uid !== "" &&
        SECTIONS.map((section) => (
          <ul key={section} aria-label={texts.sections[section]}>
            {screensOf(section).map(([screen, icon]) => (
              <li key={screen}>
                <Link
                  {...screenLink(screen, uid)}
                  activeProps={{}}
                  {...(screen === current && { "aria-current": "page" as const })}
                >
                  <Icon name={icon} />
                  {texts.screens[screen]}
                </Link>
              </li>
            ))}
          </ul>
        ))}
    </nav>
  );
}

function screensOf(section: Section): [PlaceScreenName, IconName][] {
  return Object.entries(PLACE_SCREENS)
    .filter(([, screen]) => screen.section === section)
    .map(([name, { icon }]) => [name as PlaceScreenName, icon]);
}
