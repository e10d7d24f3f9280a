/** Elements that can have the keyboard focus. */
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary";

/** Parts of a page that come and go one by one. */
const ROWS = "tr, li";

/**
 * Keeps the focus somewhere. When the element that has it disappears, browsers have the keyboard start over at the top
 * of the page, and screen readers fall silent. It goes to the row after one that was deleted, or else to the open dialog
 * or the heading of the screen; a control that is disabled while it works gets it back.
 */
export function keepFocus(): void {
  let focused: Element | undefined;
  let neighbor: HTMLElement | undefined;
  let isDue = false;

  const restore = () => {
    isDue = false;
    if (focused === undefined || document.activeElement !== document.body) return;
    // One that is busy is waited for.
    if (focused.isConnected) return (focused as HTMLElement).focus();
    const fallback = document.querySelector<HTMLElement>(".dialog") ?? heading();
    (neighbor?.isConnected ? neighbor : fallback)?.focus();
  };

  document.addEventListener("focusin", ({ target }) => {
    focused = target as Element;
    neighbor = undefined;
  });
  // Who presses the page itself means to have the focus nowhere.
  document.addEventListener("pointerdown", () => {
    focused = undefined;
  });
  new MutationObserver((records) => {
    if (focused === undefined || document.activeElement !== document.body) return;
    neighbor ??= neighborOf(focused, records);
    if (isDue) return;
    isDue = true;
    // Dialogs return the focus by themselves, a moment later.
    requestAnimationFrame(() => setTimeout(restore));
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
}

function heading(): HTMLElement | null {
  return document.querySelector<HTMLElement>("main h1");
}

/** The control at the same position in the row beside one that was removed. */
function neighborOf(lost: Element, records: readonly MutationRecord[]): HTMLElement | undefined {
  for (const { removedNodes, nextSibling, previousSibling } of records) {
    for (const removed of removedNodes) {
      if (!(removed instanceof Element) || !removed.contains(lost) || !removed.matches(ROWS)) {
        continue;
      }
      const at = [...removed.querySelectorAll(FOCUSABLE)].indexOf(lost);
      const beside = [nextSibling, previousSibling].find((one) => one instanceof Element);
      const controls = [...(beside?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
      return controls[at] ?? controls.at(-1);
    }
  }
  return undefined;
}
