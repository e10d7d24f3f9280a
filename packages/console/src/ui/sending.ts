import { useState } from "react";
import { useLastingError } from "./lasting-error.ts";

/** State of a form's requests. */
export interface Sending {
  /** The error of the last request, until the next one. */
  readonly error: Error | undefined;
  readonly isBusy: boolean;
  /** Runs one request at a time; others are ignored meanwhile. */
  readonly send: (work: () => Promise<void>) => Promise<void>;
  readonly forget: () => void;
}

export function useSending(): Sending {
  const [error, setError] = useLastingError();
  const [isBusy, setBusy] = useState(false);
  const send = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, send, forget: () => setError(undefined) };
}
