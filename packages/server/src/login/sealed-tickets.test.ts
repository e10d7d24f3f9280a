import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { SealedTickets } from "./sealed-tickets.ts";

const NOW = 1_800_000_000_000;
const PAYLOAD = { browser: "ab", state: "ü" };

test("a sealed ticket opens on every replica until it expires", () => {
  const secret = randomBytes(32);
  const ticket = new SealedTickets(() => secret).seal("login", PAYLOAD, NOW);
  const other = new SealedTickets(() => secret);
  assert.deepEqual(other.open("login", ticket, NOW - 1), { payload: PAYLOAD, expires: NOW });
  assert.deepEqual(other.open("login", ticket, NOW - 1), { payload: PAYLOAD, expires: NOW });
  assert.equal(other.open("login", ticket, NOW), undefined);
});

test("it opens for no other purpose or installation, and its content is encrypted", () => {
  const secret = randomBytes(32);
  const tickets = new SealedTickets(() => secret);
  const ticket = tickets.seal("login", { word: "recognizable" }, NOW);
  assert.equal(tickets.open("passkey: sign in", ticket, 0), undefined);
  const other = randomBytes(32);
  assert.equal(new SealedTickets(() => other).open("login", ticket, 0), undefined);
  const text = Buffer.from(ticket.slice(3), "base64url").toString("latin1");
  assert.ok(!text.includes("recognizable"));
  assert.notEqual(tickets.seal("login", { word: "recognizable" }, NOW), ticket);
});

test("a changed, truncated or differently encoded ticket does not open", () => {
  const secret = randomBytes(32);
  const tickets = new SealedTickets(() => secret);
  const ticket = tickets.seal("login", PAYLOAD, NOW);
  for (let at = 0; at < ticket.length; at++) {
    const letter = ticket[at] === "A" ? "B" : "A";
    const changed = ticket.slice(0, at) + letter + ticket.slice(at + 1);
    assert.equal(tickets.open("login", changed, 0), undefined, `letter ${at}`);
  }
  for (const text of ["", "s1.", "s1.AAAA", ticket.slice(0, -4), `${ticket}=`, `${ticket} `]) {
    assert.equal(tickets.open("login", text, 0), undefined, text);
  }
});

test("a ticket sealed by an earlier version opens", () => {
  const earlier = new SealedTickets(() => Buffer.alloc(32, 7));
  const ticket = "s1.OMzMZqlSpQO4t7Ck843Nn54mEh8uA5srcWS6xwgla55kZOwx-IUeS8eEUV2jp8ZUTb7n";
  const payload = { state: "x" };
  assert.deepEqual(earlier.open("login", ticket, 0), { payload, expires: 2_000_000 });
});

test("a ticket is used once in a process", () => {
  const secret = randomBytes(32);
  const tickets = new SealedTickets(() => secret);
  const [one, two] = [tickets.seal("login", {}, NOW), tickets.seal("login", {}, NOW)];
  assert.equal(tickets.isUsed(one), false);
  assert.equal(tickets.useOnce(one), true);
  assert.equal(tickets.useOnce(one), false);
  assert.equal(tickets.isUsed(one), true);
  assert.equal(tickets.useOnce(two), true);
});
