import { Dialog } from "@base-ui/react/dialog";
import { lazy, Suspense, useEffect, useState } from "react";
import { texts } from "../texts.ts";
import { Loading } from "../ui/feedback.tsx";
import { Icon } from "../ui/icons.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

/** Finds pages, organizations and folders by name; opens with Ctrl-K or ⌘-K. */
export function CommandPalette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((previous) => !previous);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="button quiet find">
        <Icon name="search" />
        <span>{texts.palette.open}</span>
        <kbd>Ctrl K</kbd>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label={texts.palette.title}>
          <Suspense fallback={<Loading />}>
            <Palette close={() => setOpen(false)} />
          </Suspense>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
