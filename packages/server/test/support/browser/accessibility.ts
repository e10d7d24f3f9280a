/** Accessibility checks of pages in a browser. */
import type { Page } from "playwright-core";

/**
 * Accessibility violations of a page: elements without name or label, headings out of order, colors too close to each
 * other (WCAG 2.2 AA), targets too small, sideways scrolling.
 *
 * @example assert.deepEqual(await obstacles(page), []);
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  return await page.evaluate(CHECKS);
}

/** Runs in the page, so it is text: there are no types of a browser here. */
const CHECKS = `(() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const say = (element, what) => found.push(what + ": " + element.outerHTML.slice(0, 120));

  if (!document.documentElement.lang) found.push("no language");
  if (!document.title) found.push("no title");
  if (all("main").length !== 1) found.push("not one main");

  const levels = all("h1, h2, h3, h4").map((heading) => Number(heading.tagName[1]));
  if (levels[0] !== 1 || levels.filter((level) => level === 1).length !== 1) found.push("not one h1 first");
  levels.forEach((level, at) => { if (at > 0 && level > levels[at - 1] + 1) found.push("heading skips a level"); });

  const ids = all("[id]").map(({ id }) => id);
  if (new Set(ids).size !== ids.length) found.push("an id twice: " + ids);
  for (const element of all("[aria-describedby]"))
    if (!document.getElementById(element.getAttribute("aria-describedby"))) say(element, "described by nothing");

  for (const input of all("input:not([type=hidden])").filter(shown)) {
    if (![...input.labels].some((label) => shown(label) && label.textContent.trim())) say(input, "no label");
    if (!input.autocomplete) say(input, "no autocomplete");
    if (input.autocapitalize && input.autocapitalize !== "off" && input.autocapitalize !== "none") say(input, "capitalises");
  }
  for (const element of all("button, a")) if (!element.textContent.trim()) say(element, "no name");
  for (const element of all("button, a.button, input:not([type=hidden])").filter(shown))
    if (element.getBoundingClientRect().height < 44) say(element, "too small to hit");
  for (const element of all("*"))
    for (const { name } of element.attributes) if (/^on|^style$/.test(name)) say(element, name);

  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const opaque = (color) => (channels(color)[3] ?? 1) === 1;
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (opaque(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  let pairs = 0;
  for (const element of all("body *").filter(shown)) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(element);
    if (text || element.matches("input")) {
      pairs += 1;
      const ratio = contrast(style.color, ground(element));
      if (ratio < 4.5) say(element, "text at " + ratio.toFixed(2));
    }
    if (element.matches("input, button.quiet")) {
      const ratio = contrast(style.borderTopColor, ground(element.parentElement));
      if (ratio < 3) say(element, "edge at " + ratio.toFixed(2));
    }
  }
  if (pairs === 0) found.push("no text");

  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push("scrolls sideways: " + scrollWidth + " > " + clientWidth);
  return found;
})()`;
