import { lazy, Suspense } from "react";
import { sentenceOf } from "./error-text.ts";
import { requestOf } from "./feedback.tsx";

/** Loaded after the first screen, which has nothing to confirm. */
const ToastList = lazy(async () => ({ default: (await import("./toast-list.tsx")).ToastList }));

/** The place of messages that confirm what was done. */
export function Toasts() {
  return (
    <Suspense>
      <ToastList />
    </Suspense>
  );
}

/** Shows a message. */
export async function toast(title: string): Promise<void> {
  const { add } = await import("./toast-list.tsx");
  add({ title });
}

/** Shows what went wrong where no form is left to show it, until it is closed. */
export async function toastError(error: Error): Promise<void> {
  const { add } = await import("./toast-list.tsx");
  add({
    title: sentenceOf(error),
    description: requestOf(error),
    timeout: 0,
  });
}
