import { Navigate } from "@tanstack/react-router";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { startTexts } from "../../texts/start.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { CreateOrganization } from "../organizations/create-organization.tsx";
import { isDismissed, useProgress } from "./checklist.ts";
import { Checklist } from "./start.tsx";

/** The first page: the checklist of the organization until it is done or dismissed, then all organizations. */
export function Screen() {
  const { isKnown, can } = useAccess();
  const { data, error } = useRead(api.groups.list, {
    uidp: { inRoot: true },
    pageSize: 1,
    orderBy: "name",
  });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined || !isKnown) return <Loading />;
  const uid = data.groups?.[0]?.uid;
  if (uid === undefined) return <NoOrganization />;
  // People who only look at an organization do not set it up.
  if (isDismissed(uid) || !can("identity.create", uid)) return <Navigate to="/organizations" />;
  return <Home uid={uid} />;
}

function Home({ uid }: { readonly uid: string }) {
  const progress = useProgress(uid);
  if (progress === undefined) return <Loading />;
  const isDone = Object.values(progress).every(Boolean);
  return isDone ? <Navigate to="/organizations" /> : <Checklist uid={uid} progress={progress} />;
}

function NoOrganization() {
  return (
    <Page title={startTexts.firstTitle}>
      <Empty title={startTexts.steps.organization.title} action={<CreateOrganization />}>
        {startTexts.firstText}
      </Empty>
    </Page>
  );
}
