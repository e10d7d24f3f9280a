import { useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Decisions } from "./decisions/decisions.tsx";
import { Finder } from "./finder.tsx";
import { Fixes } from "./fixes.tsx";
import { FoundVulnerabilities } from "./found-vulnerabilities.tsx";
import { Overview } from "./overview.tsx";
import { Sources } from "./sources/sources.tsx";
import { TaggedImages } from "./tagged-images.tsx";

const { tabs } = exposureTexts;

/** The vulnerabilities of the images of a group and everything below it. */
export function Screen() {
  const { uid } = useScreenLocation();
  const tab = useTab(tabs);
  return (
    <Page title={texts.screens.vulnerabilities} group={uid} command={commandOf(uid, tab)}>
      <Finder group={uid} />
      <Tabs label={exposureTexts.label} tabs={tabs} />
      {tab === "overview" && <Overview group={uid} />}
      {tab === "list" && <FoundVulnerabilities group={uid} />}
      {tab === "fixes" && <Fixes request={{ uidp: { descendantsOf: uid } }} />}
      {tab === "images" && <TaggedImages group={uid} />}
      {tab === "decisions" && <Decisions group={uid} />}
      {tab === "sources" && <Sources group={uid} />}
    </Page>
  );
}

/** The command of each tab. */
function commandOf(uid: string, tab: string) {
  const rest = (path: string) => `/exposure/v2beta1/${path}?uidp.descendants_of=${uid}`;
  const call = (path: string) => ({ cli: `wharf api GET '${path}'`, rest: path });
  switch (tab) {
    case "list":
      return {
        cli: `wharf exposure vulnerabilities --parent ${uid}`,
        rest: rest("vulnerabilities"),
      };
    case "fixes":
      return { cli: `wharf exposure fixes --parent ${uid}`, rest: rest("fixes") };
    case "images":
      return { cli: `wharf exposure images --parent ${uid}`, rest: rest("taggedImages") };
    case "decisions":
      return call(rest("decisions"));
    case "sources":
      return call(rest("vulnerabilitySources"));
    default:
      return { cli: `wharf exposure overview --parent ${uid}`, rest: rest("overview") };
  }
}
