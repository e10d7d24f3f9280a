import assert from "node:assert/strict";
import type { Page } from "playwright-core";

type Role = Parameters<Page["getByRole"]>[0];

/** More stops than any screen has between two of its controls. */
const MAX_STOPS = 600;

/** How long the focus may take to get where it belongs. */
const TIMEOUT_MS = 60_000;

/** What sends the focus back to the other end of a dialog, a moment after it got it. */
const GUARD = "[data-base-ui-focus-guard]";

/**
 * Runs in the page: looks at the element that has the focus before each Tab, as a person does. A problem is what keeps
 * them from seeing it: no name, no ring, outside of the window, covered.
 */
const WATCH = `(() => {
  const inspect = () => {
    const element = document.activeElement;
    if (element === null || element === document.body) return { stop: "nothing", problem: "" };
    const labels = element.labels ? [...element.labels] : [];
    const named = document.getElementById(element.getAttribute("aria-labelledby") ?? "");
    const text = element.getAttribute("aria-label") || labels.map((one) => one.textContent).join(" ") ||
      (named ?? element).textContent.trim().slice(0, 60);
    const isRinged = (one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    };
    const ringed = [element, ...labels].find(isRinged);
    const box = (ringed ?? element).getBoundingClientRect();
    const [top, bottom] = [Math.max(0, box.top), Math.min(box.bottom, innerHeight)];
    const isInside = bottom > top && box.right > 0 && box.left < innerWidth && box.width >= 1;
    const above = document.elementFromPoint(box.left + Math.min(box.width, 40) / 2, (top + bottom) / 2);
    // A message that confirms something is gone within seconds.
    const isFree = above?.closest(".toasts") ||
      [element, ...labels].some((one) => one.contains(above) || above?.contains(one));
    const problem = [
      text ? "" : "has no name",
      element.tabIndex > 0 ? "is taken out of the order" : "",
      ringed || element.tagName === "MAIN" ? "" : "does not show the focus",
      isInside ? "" : "is outside of the window",
      isInside && !isFree ? "is covered by " + above?.outerHTML.slice(0, 80) : "",
    ].filter(Boolean).join(", ");
    const { tagName } = element;
    return { stop: tagName.toLowerCase() + " " + JSON.stringify(text), problem, element };
  };
  const stops = [];
  const onKey = ({ key }) =>
    key === "Tab" && !document.activeElement.matches("${GUARD}") && stops.push({ ...inspect(), isLeft: true });
  addEventListener("keydown", onKey, { capture: true });
  /** What the focus was at since this was last asked, and is at now. */
  window.focusStops = () => [...stops.splice(0), inspect()].map(({ stop, problem, element }, at, all) => {
    const last = all[at - 1];
    // Tab follows the order of the page, and stays in a dialog.
    const first = element?.closest("[role=dialog]")?.querySelector("a[href], button, input:not([type=hidden]), select, textarea");
    // What is gone, such as a message, has no place in that order.
    const isGone = !last?.element?.isConnected || !element?.isConnected;
    const isBehind = isGone || !last.isLeft || element === first || element.contains(last.element) ||
      !(last.element.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING);
    return { stop, problem: problem || (isBehind ? "" : "is before " + last.stop) };
  });
  /** The number of stops from the focus to an element; a date has more of them than one. */
  window.stopsTo = (target) => {
    const isFirst = (one) => one.type !== "radio" || one.checked || one === target;
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
      .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility() && isFirst(one));
    const from = document.activeElement === document.body ? -1 : all.indexOf(document.activeElement);
    return Math.max(0, all.indexOf(target) - from);
  };
})()`;

/** What the script above leaves in the page. */
interface Watched {
  stopsTo(target: unknown): number;
}

const stopsTo = (target: unknown) => (globalThis as unknown as Watched).stopsTo(target);

const isHighlighted = (one: { hasAttribute(name: string): boolean }) =>
  one.hasAttribute("data-highlighted");

interface Stop {
  readonly stop: string;
  readonly problem: string;
}

/** What a person without a mouse does: keys, and looking where the focus is. */
export class Keyboard {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** The keyboard of a page, from the next page that it opens on. */
  static async of(page: Page): Promise<Keyboard> {
    await page.addInitScript(WATCH);
    return new Keyboard(page);
  }

  /** Presses keys, one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Presses Tab, and returns what had the focus before, between and after; a person could see it each time. */
  async #tab(times: number): Promise<readonly string[]> {
    await Promise.all(Array.from({ length: times }, () => this.page.keyboard.press("Tab")));
    return (await this.#stops()).map(({ stop }) => stop);
  }

  async #stops(): Promise<readonly Stop[]> {
    await this.page.locator(`${GUARD}:focus`).waitFor({ state: "detached", timeout: TIMEOUT_MS });
    const stops = await this.page.evaluate<readonly Stop[]>("focusStops()");
    const bad = stops.filter(({ problem }) => problem !== "");
    assert.deepEqual(bad, [], this.page.url());
    return stops;
  }

  /** Walks by Tab from the beginning of the page until it begins again; returns the number of stops. */
  async around(): Promise<number> {
    const seen: string[] = [];
    while (seen.length < MAX_STOPS) {
      const [, ...stops] = await this.#tab(40);
      seen.push(...stops);
      const end = seen.indexOf("nothing");
      if (end > 0) return end;
    }
    return assert.fail(`Tab does not leave ${this.page.url()}:\n${seen.join("\n")}`);
  }

  /** Moves by Tab to the control with a name; fails after as many presses as no screen needs. */
  async to(role: Role, name: string | RegExp): Promise<void> {
    const target = this.#named(role, name).first();
    await target.waitFor();
    const near = await target.evaluate(stopsTo);
    const stops = [...(await this.#tab(near))];
    while (!(await this.#isAt(role, name))) {
      if (stops.length > MAX_STOPS) {
        assert.fail(`Tab does not lead to the ${role} ${name}, but to\n${stops.join("\n")}`);
      }
      stops.push(...(await this.#tab(1)));
    }
  }

  /** Asserts that the focus is at a control, or gets there without another key. */
  async isAt(role: Role, name: string | RegExp): Promise<void> {
    const wanted = this.#named(role, name).and(this.page.locator(":focus"));
    const at = await wanted.waitFor({ timeout: TIMEOUT_MS }).then(
      () => true,
      () => false,
    );
    const [{ stop } = { stop: "" }] = (await this.#stops()).slice(-1);
    assert.ok(at, `the focus is not at the ${role} ${name}, but at ${stop}`);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Moves to a control and presses it. */
  async activate(role: Role, name: string | RegExp): Promise<void> {
    await this.to(role, name);
    await this.page.keyboard.press("Enter");
  }

  /** Moves to a text field and writes over what is in it. */
  async write(name: string | RegExp, text: string, role: Role = "textbox"): Promise<void> {
    await this.to(role, name);
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.type(text);
  }

  /** Moves to a picker, searches, and chooses the first that fits. */
  async pick(name: string | RegExp, text: string): Promise<void> {
    await this.write(name, text, "combobox");
    const option = this.page.getByRole("option", { name: new RegExp(`^${text}`) }).first();
    await option.waitFor();
    for (let presses = 0; !(await option.evaluate(isHighlighted)); presses++) {
      assert.ok(presses < MAX_STOPS, `the arrow keys do not lead to ${text}`);
      await this.page.keyboard.press("ArrowDown");
    }
    await this.page.keyboard.press("Enter");
    await option.waitFor({ state: "detached" });
    await this.isAt("combobox", name);
  }

  /** Moves to a list of few and chooses by the first letters of an option, as browsers do. */
  async select(name: string | RegExp, text: string): Promise<void> {
    await this.to("combobox", name);
    await this.page.keyboard.type(text);
    await this.isAt("combobox", name);
  }

  /** Moves to a checkbox or radio button and presses it. */
  async check(role: "checkbox" | "radio", name: string | RegExp): Promise<void> {
    await this.to(role, name);
    await this.page.keyboard.press("Space");
    await this.isAt(role, name);
  }

  /** Opens a dialog from a control; Escape closes it, and the focus is back. Opens it again. */
  async open(role: Role, name: string | RegExp): Promise<void> {
    const dialog = this.page.locator(".dialog");
    await this.activate(role, name);
    await dialog.waitFor();
    await this.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await this.isAt(role, name);
    await this.page.keyboard.press("Enter");
    await dialog.waitFor();
  }

  /** Waits for the dialog to close. */
  async closed(): Promise<void> {
    await this.page.locator(".dialog").waitFor({ state: "detached" });
  }

  #named(role: Role, name: string | RegExp) {
    return this.page.getByRole(role, { name, exact: true });
  }

  async #isAt(role: Role, name: string | RegExp): Promise<boolean> {
    return (await this.#named(role, name).and(this.page.locator(":focus")).count()) > 0;
  }
}
