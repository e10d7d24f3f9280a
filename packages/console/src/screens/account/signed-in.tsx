import { useEffect } from "react";
import { finishSignIn } from "../../api/session.ts";
import { texts } from "../../texts/common.ts";
import { Page } from "../../ui/page.tsx";

/** Where a sign-in in a window of its own ends. */
export function Screen() {
  useEffect(finishSignIn, []);
  return (
    <Page title={texts.signInAgain.done}>
      <p>{texts.signInAgain.doneText}</p>
    </Page>
  );
}
