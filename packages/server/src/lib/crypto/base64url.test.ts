import assert from "node:assert/strict";
import { test } from "node:test";
import { isCanonicalBase64url } from "./base64url.ts";

const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

test("of all spellings of some bytes, only the one that encoders write is canonical", () => {
  for (const bytes of [1, 2, 3, 32, 64].map((length) => Buffer.alloc(length, 0xa7))) {
    const text = bytes.toString("base64url");
    const twins = [...CHARACTERS]
      .map((last) => text.slice(0, -1) + last)
      .filter((twin) => Buffer.from(twin, "base64url").equals(bytes));
    assert.deepEqual(twins.filter(isCanonicalBase64url), [text]);
    for (const other of [`${text}=`, ` ${text}`, `${text}\n`, `${text}A=`, `${text}.`])
      assert.equal(isCanonicalBase64url(other), false, JSON.stringify(other));
  }
});

test("texts that encode nothing, or use another alphabet, are not canonical", () => {
  for (const text of ["", "A", "AAAAA", "ab+/", "é", "AA=="])
    assert.equal(isCanonicalBase64url(text), false, text);
});
