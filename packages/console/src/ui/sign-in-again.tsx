import { WharfError } from "@wharf/client/json";
import { useEffect, useState } from "react";
import { keepForm, onRenewal, openSignIn } from "../api/session.ts";
import { texts } from "../texts/common.ts";

/** Whether the server asks for a recent sign-in before it does this. */
export function isSignInNeeded(error: Error): boolean {
  return error instanceof WharfError && error.reason === "RECENT_SIGN_IN_REQUIRED";
}

/** Asks to sign in again, in a window of its own, and goes on by itself afterwards. */
export function SignInAgain({ onDone }: { readonly onDone: () => void }) {
  useEffect(() => onRenewal(onDone), [onDone]);
  return <Request text={texts.signInAgain.text} />;
}

/** Says in an open form that the session has ended, and asks to sign in again. What is being sent waits for it. */
export function SessionEnded() {
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => keepForm(setEnded), []);
  return hasEnded ? <Request text={texts.signInAgain.ended} /> : null;
}

function Request({ text }: { readonly text: string }) {
  return (
    <div className="note" role="alert">
      <p>{text}</p>
      <button type="button" className="button" onClick={openSignIn}>
        {texts.signInAgain.button}
      </button>
    </div>
  );
}
