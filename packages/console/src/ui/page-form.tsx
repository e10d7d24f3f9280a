import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { Failed } from "./feedback.tsx";
import { isSignInNeeded, SignInAgain } from "./sign-in-again.tsx";

/** What was entered in a form, by the name of the field. */
export type Entered = Readonly<Record<string, string | undefined>>;

/** A form that is a part of its screen. It keeps what was entered until the server accepts it. */
export function PageForm({
  submit,
  label,
  onEnter,
  onSubmit,
  children,
}: {
  /** The text of the button that sends it, or what stands in its place. */
  readonly submit: ReactNode;
  /** The accessible name of the form. */
  readonly label: string;
  /** Is told of every change. */
  readonly onEnter?: (entered: Entered) => void;
  /** Rejects with the error to show. */
  readonly onSubmit: (entered: Entered) => Promise<unknown>;
  readonly children: ReactNode;
}) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const send = async (entered: Entered) => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit(entered);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      className="sheet"
      aria-label={label}
      autoComplete="off"
      onInput={(event) => onEnter?.(enteredIn(event))}
      onSubmit={(event) => {
        event.preventDefault();
        send(enteredIn(event));
      }}
    >
      {children}
      {error !== undefined &&
        (isSignInNeeded(error) ? (
          <SignInAgain onDone={() => form.current?.requestSubmit()} />
        ) : (
          <Failed error={error} />
        ))}
      <div className="actions">
        {typeof submit === "string" ? (
          <button type="submit" className="button" aria-disabled={isBusy}>
            {submit}
          </button>
        ) : (
          submit
        )}
      </div>
    </form>
  );
}

function enteredIn({ currentTarget }: FormEvent<HTMLFormElement>): Entered {
  const entries = [...new FormData(currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).trim()]));
}
