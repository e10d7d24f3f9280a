import { useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { storageTexts } from "../../texts/storage.ts";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Retention } from "./retention.tsx";
import { Upstreams } from "./upstreams.tsx";
import { Usage } from "./usage.tsx";

/** The storage of a group: its usage, its retention, and the upstreams of its images. */
export function Screen() {
  const { uid } = useScreenLocation();
  const tab = useTab(storageTexts.tabs);
  return (
    <Page title={texts.screens.storage} group={uid} command={commandOf(uid, tab)}>
      <Tabs label={storageTexts.label} tabs={storageTexts.tabs} />
      {/* The key: a preview is of one group. */}
      {tab === "usage" && <Usage group={uid} />}
      {tab === "retention" && <Retention key={uid} group={uid} />}
      {tab === "upstreams" && <Upstreams group={uid} />}
    </Page>
  );
}

function commandOf(uid: string, tab: keyof typeof storageTexts.tabs) {
  const path = "/registry/v2beta1";
  switch (tab) {
    case "usage":
      return { cli: `wharf registry usage ${uid}`, rest: `${path}/usage/${uid}` };
    case "retention":
      return {
        cli: `wharf retention preview ${uid}`,
        rest: `${path}/retentionPolicies/${uid}:preview`,
        body: {},
      };
    case "upstreams":
      return {
        cli: `wharf upstreams list --parent ${uid} --recursive`,
        rest: `${path}/upstreams?uidp.descendants_of=${uid}`,
      };
  }
}
