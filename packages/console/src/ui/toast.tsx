import { lazy, Suspense } from "react";

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
  const { manager } = await import("./toast-list.tsx");
  manager.add({ title });
}
