import { WharfError } from "@wharf/client/json";
import { useEffect, useRef, useState } from "react";
import { toastError } from "./toast.tsx";

/**
 * The error of a form that may go away before it was read: a denied request has the rights read again, and what they no
 * longer allow is not offered any more, this form included. The error is then shown as a message; so is one that arrives
 * after the form has gone.
 */
export function useLastingError(): [Error | undefined, (error: Error | undefined) => void] {
  const [error, setError] = useState<Error>();
  const shown = useRef<Error>(undefined);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      if (isDenied(shown.current)) toastError(shown.current);
    };
  }, []);
  const show = (next: Error | undefined) => {
    shown.current = next;
    if (!isGone.current) setError(next);
    else if (next !== undefined) toastError(next);
  };
  return [error, show];
}

export function isDenied(error: unknown): error is Error {
  return error instanceof WharfError && error.code === "PERMISSION_DENIED";
}
