import type { RefObject } from "react";
import { Failed } from "./feedback.tsx";
import { isSignInNeeded, SignInAgain } from "./sign-in-again.tsx";

/** Why a form was rejected. Where a recent sign-in is missing, it is sent again after that. */
export function FormError({
  error,
  form,
}: {
  readonly error: Error | undefined;
  readonly form: RefObject<HTMLFormElement | null>;
}) {
  if (error === undefined) return null;
  if (isSignInNeeded(error)) return <SignInAgain onDone={() => form.current?.requestSubmit()} />;
  return <Failed error={error} />;
}
