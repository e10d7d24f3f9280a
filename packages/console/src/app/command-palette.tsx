import { lazy, Suspense, useEffect, useState } from "react";
import { texts } from "../texts/common.ts";
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
    <>
      <button
        type="button"
        className="button quiet find"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span className="unseen">{texts.palette.title}</span>
        <span className="word" aria-hidden="true">
          {texts.palette.open}
        </span>
        <span className="shortcut" aria-hidden="true">
          Ctrl K
        </span>
      </button>
      {open && (
        <Suspense>
          <Palette close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
