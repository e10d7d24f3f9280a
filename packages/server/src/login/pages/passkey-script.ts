/**
 * The only script of the pages: it creates and uses passkeys. Everything else works without scripts.
 *
 * `options` returns `{ options, challengeId? }` or the options themselves. `verify` gets its inputs,
 * `challengeId` if there was one, and `response`; it returns `{ redirect }`. Both may return
 * `{ error }`, a sentence for the user. On another origin than that of the passkeys, the script links
 * to the right one.
 */
export const PASSKEY_JS = `"use strict";
(() => {
  const api = window.PublicKeyCredential;
  if (!api?.parseRequestOptionsFromJSON || !api.parseCreationOptionsFromJSON) return;

  const UNKNOWN_ERROR = "Something went wrong. Please try again.";
  const REASONS = {
    NotAllowedError: "No passkey was used: the request was canceled or timed out.",
    InvalidStateError: "This device already holds a passkey for this account.",
    SecurityError: "Passkeys do not work at this address.",
    NotSupportedError: "This device cannot hold a passkey.",
  };

  /** An error message from the server. */
  class ServerError extends Error {}

  const showError = (text) => {
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
    const json = await response.json();
    if (typeof json.error === "string") throw new ServerError(json.error);
    if (!response.ok) throw new Error(UNKNOWN_ERROR);
    return json;
  };

  const inputs = (block, names) => {
    const elements = block.closest("form").elements;
    return names.split(" ").filter(Boolean).map((name) => elements.namedItem(name));
  };

  const values = (list) => Object.fromEntries(list.map((input) => [input.name, input.value]));

  const use = async (kind, json) => {
    const credential =
      kind === "create"
        ? await navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(json) })
        : await navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(json) });
    return credential.toJSON();
  };

  const run = async (block) => {
    const { passkey: kind, options, verify, fields, verifyFields } = block.dataset;
    const sent = inputs(block, fields);
    if (!sent.every((input) => input.reportValidity())) return;
    const request = await post(options, values(sent));
    const response = await use(kind, request.options ?? request);
    const { challengeId } = request;
    const { redirect } = await post(verify, {
      ...values(inputs(block, verifyFields)),
      ...(challengeId === undefined ? {} : { challengeId }),
      response,
    });
    const target = new URL(redirect, location.href);
    if (target.protocol !== "https:" && target.protocol !== "http:") throw new Error(UNKNOWN_ERROR);
    location.assign(target);
  };

  /** Pages that can be opened by URL. */
  const PAGES = ["/oauth", "/device", "/setup", "/reset", "/console/sign-in"];

  const linkTo = (block, site) => {
    const text = document.createElement("p");
    text.className = "soft";
    const link = document.createElement(PAGES.includes(location.pathname) ? "a" : "span");
    link.textContent = site;
    if (link.tagName === "A") link.href = site + location.pathname + location.search;
    text.append("Passkeys work at ", link, ".");
    block.replaceChildren(text);
    block.hidden = false;
  };

  for (const block of document.querySelectorAll("[data-passkey]")) {
    const { site } = block.dataset;
    if (site !== location.origin) {
      linkTo(block, site);
      continue;
    }
    const button = block.querySelector("button");
    button.addEventListener("click", async () => {
      showError("");
      button.disabled = true;
      try {
        await run(block);
      } catch (error) {
        showError(
          error instanceof ServerError ? error.message : (REASONS[error.name] ?? UNKNOWN_ERROR),
        );
      } finally {
        button.disabled = false;
      }
    });
    block.hidden = false;
  }
})();
`;
