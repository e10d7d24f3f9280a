import { texts } from "../texts/common.ts";
import { Failed } from "./feedback.tsx";
import { Page } from "./page.tsx";

/** Stands for the screen of a resource that cannot be read. */
export function FailedPage({
  error,
  group,
}: {
  readonly error: Error;
  readonly group?: string | undefined;
}) {
  return (
    <Page title={texts.notFound.title} group={group}>
      <Failed error={error} />
    </Page>
  );
}
