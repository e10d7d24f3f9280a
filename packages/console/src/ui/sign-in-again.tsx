import { WharfError } from "@wharf/client/json";
import { useEffect } from "react";
import { onRenewal, openSignIn } from "../api/session.ts";
import { texts } from "../texts/common.ts";

/** Whether the server asks for a recent sign-in before it does this. */
export function isSignInNeeded(error: Error): boolean {
  return error instanceof WharfError && error.reason === "RECENT_SIGN_IN_REQUIRED";
}

/** Asks to sign in again, in a window of its own, and goes on by itself afterwards. */
export function SignInAgain({ onDone }: { readonly onDone: () => void }) {
  useEffect(() => onRenewal(onDone), [onDone]);
  return (
    <div className="note" role="alert">
      <p>{texts.signInAgain.text}</p>
      <button type="button" className="button" onClick={openSignIn}>
        {texts.signInAgain.button}
      </button>
    </div>
  );
}
