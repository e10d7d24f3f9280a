import assert from "node:assert/strict";
import { test } from "node:test";
import { newOperatorCode, newUserCode, readUserCode } from "./user-code.ts";

test("codes come in groups of four letters that are hard to confuse", () => {
  assert.match(newUserCode(), /^[BCDFGHJKLMNPQRSTVWXZ]{4}(-[BCDFGHJKLMNPQRSTVWXZ]{4}){1}$/);
  assert.match(newOperatorCode(), /^[BCDFGHJKLMNPQRSTVWXZ]{4}(-[BCDFGHJKLMNPQRSTVWXZ]{4}){4}$/);
  assert.ok(20 * Math.log2(20) > 80, "that many letters are more than 80 bits");
  assert.notEqual(newOperatorCode(), newOperatorCode());
});

test("codes are read however they are typed", () => {
  for (const code of [newUserCode(), newOperatorCode()]) {
    assert.equal(readUserCode(code), code);
    assert.equal(readUserCode(` ${code.toLowerCase().replaceAll("-", " ")}\n`), code);
    assert.equal(readUserCode(code.replaceAll("-", "")), code);
  }
  assert.equal(readUserCode(""), "");
});
