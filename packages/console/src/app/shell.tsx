import { Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useAccess } from "../api/access.ts";
import { api, useRead } from "../api/client.ts";
import { isFailing } from "../api/failing.ts";
import { type Session, session } from "../api/session.ts";
import { texts } from "../texts/common.ts";
import { Loading } from "../ui/feedback.tsx";
import { Icon, type IconName, Logo } from "../ui/icons.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { useGone } from "./gone.ts";
import { screenLink, useScreenLocation } from "./location.ts";
import { MissingGroup } from "./missing-group.tsx";
import { GROUP_SCREENS, type GroupScreenName, type Section } from "./screens.ts";

/** Loaded after the first screen is shown. */
const LiveUpdates = lazy(async () => ({
  default: (await import("./live-updates.tsx")).LiveUpdates,
}));

/** The frame of every screen. It is empty until the session is loaded. */
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
        <GroupOrMissing />
      </main>
    </div>
  );
}

const SECTIONS: readonly Section[] = ["group", "access", "registry", "activity"];

/** The screen, or an explanation and links if the group does not exist or the caller has no access. */
function GroupOrMissing() {
  const { uid } = useScreenLocation();
  const reason = useGone(uid);
  return reason === undefined ? <Outlet /> : <MissingGroup uid={uid} reason={reason} />;
}

function Navigation() {
  const { uid: at, screen: current } = useScreenLocation();
  // Every link would fail.
  const uid = useGone(at) === undefined ? at : "";
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
                  {screen === "subscriptions" && <FailingDot uid={uid} />}
                </Link>
              </li>
            ))}
          </ul>
        ))}
    </nav>
  );
}

/** Marks the subscriptions of a group if events cannot be delivered. */
function FailingDot({ uid }: { readonly uid: string }) {
  const { can } = useAccess();
  const request = { uidp: { descendantsOf: uid }, pageSize: FAILING_PAGE_SIZE };
  const enabled = can("subscriptions.list", uid);
  const { data } = useRead(api.subscriptions.list, request, { enabled });
  if (!enabled || !data?.subscriptions?.some(isFailing)) return null;
  return (
    <span className="dot">
      <span className="unseen">{texts.shell.failing}</span>
    </span>
  );
}

/** Subscriptions that the dot is about. */
const FAILING_PAGE_SIZE = 100;

function screensOf(section: Section): [GroupScreenName, IconName][] {
  return Object.entries(GROUP_SCREENS)
    .filter(([, screen]) => screen.section === section)
    .map(([name, { icon }]) => [name as GroupScreenName, icon]);
}
