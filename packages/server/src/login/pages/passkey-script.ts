/**
 * The only script of the login: it makes and uses passkeys. Without it, everything else works.
 *
 * `options` answers `{ options, challengeId? }` or the options themselves; `verify` is sent the
 * inputs it asks for, `challengeId` if there was one, and `response`, and answers `{ redirect }`.
 * Either may answer `{ error }`, in words for people. At an address that passkeys do not belong to,
 * there is a way to the one that they do.
 */
export const PASSKEY_JS = `"use strict";
(() => {
  const known = window.PublicKeyCredential;
  if (!known?.parseRequestOptionsFromJSON || !known.parseCreationOptionsFromJSON) return;

  const WENT_WRONG = "Something went wrong. Please try again.";
  const REASONS = {
    NotAllowedError: "No passkey was used: it was cancelled, or took too long.",
    InvalidStateError: "This device already holds a passkey for this account.",
    SecurityError: "Passkeys do not work at this address.",
    NotSupportedError: "This device cannot hold a passkey.",
  };

  /** An error in the server's own words. */
  class Refusal extends Error {}

  const say = (text) => {
    const box = document.querySelector("[role=alert]");
    box.textContent = text;
    if (text) box.focus();
  };

  const post = async (url, body) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
      credentials: "same-origin",
      redirect: "error",
    });
    const answer = await response.json();
    if (typeof answer.error === "string") throw new Refusal(answer.error);
    if (!response.ok) throw new Error(WENT_WRONG);
    return answer;
  };

  const inputs = (block, names) => {
    const elements = block.closest("form").elements;
    return names.split(" ").filter(Boolean).map((name) => elements.namedItem(name));
  };

  const values = (list) => Object.fromEntries(list.map((input) => [input.name, input.value]));

  const use = async (kind, json) => {
    const credential =
      kind === "create"
        ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(json) })
        : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(json) });
    return credential.toJSON();
  };

  const run = async (block) => {
    const { passkey: kind, options, verify, fields, verifyFields } = block.dataset;
    const sent = inputs(block, fields);
    if (!sent.every((input) => input.reportValidity())) return;
    const answer = await post(options, values(sent));
    const response = await use(kind, answer.options ?? answer);
    const { challengeId } = answer;
    const { redirect } = await post(verify, {
      ...values(inputs(block, verifyFields)),
      ...(challengeId === undefined ? {} : { challengeId }),
      response,
    });
    const target = new URL(redirect, location.href);
    if (target.protocol !== "https:" && target.protocol !== "http:") throw new Error(WENT_WRONG);
    location.assign(target);
  };

  /** Pages that can be opened by their address alone. */
  const PAGES = ["/oauth", "/device", "/setup", "/reset", "/account"];

  const pointTo = (block, site) => {
    const text = document.createElement("p");
    text.className = "soft";
    const place = document.createElement(PAGES.includes(location.pathname) ? "a" : "span");
    place.textContent = site;
    if (place.tagName === "A") place.href = site + location.pathname + location.search;
    text.append("Passkeys work at ", place, ".");
    block.replaceChildren(text);
    block.hidden = false;
  };

  for (const block of document.querySelectorAll("[data-passkey]")) {
    const { site } = block.dataset;
    if (site !== location.origin) {
      pointTo(block, site);
      continue;
    }
    const button = block.querySelector("button");
    button.addEventListener("click", async () => {
      say("");
      button.disabled = true;
      try {
        await run(block);
      } catch (error) {
        say(error instanceof Refusal ? error.message : (REASONS[error.name] ?? WENT_WRONG));
      } finally {
        button.disabled = false;
      }
    });
    block.hidden = false;
  }
})();
`;
