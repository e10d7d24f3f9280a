import { useState } from "react";
import { useLastingError } from "./lasting-error.ts";

/** What a form sends: one request at a time, with the error of the last one until the next. */
export function useSending() {
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
