import type { RefObject } from "react";
import { Failed } from "./feedback.tsx";
import { isSignInNeeded, SessionEnded, SignInAgain } from "./sign-in-again.tsx";

/** Why a form was rejected, or cannot be sent. Where a recent sign-in is missing, it is sent again after that. */
export function FormError({
  error,
  form,
}: {
  readonly error: Error | undefined;
  readonly form: RefObject<HTMLFormElement | null>;
}) {
  return (
    <>
      <SessionEnded />
      {error !== undefined &&
        (isSignInNeeded(error) ? (
          <SignInAgain onDone={() => form.current?.requestSubmit()} />
        ) : (
          <Failed error={error} />
        ))}
    </>
  );
}
