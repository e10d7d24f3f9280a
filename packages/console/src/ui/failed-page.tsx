import { texts } from "../texts/common.ts";
import { Failed } from "./feedback.tsx";
import { Page } from "./page.tsx";

/** Stands for the screen of a resource that cannot be read. */
export function FailedPage({
  error,
  place,
}: {
  readonly error: Error;
  readonly place?: string | undefined;
}) {
  return (
    <Page title={texts.notFound.title} place={place}>
      <Failed error={error} />
    </Page>
  );
}
