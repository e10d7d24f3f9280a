import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import { keyId } from "./key-id.ts";

/** The example in the token specification of CNCF Distribution. */
const EXAMPLE = {
  kty: "EC",
  crv: "P-256",
  x: "m7zUpx3b-zmVE5cymSs64POG9QcyEpJaYCD82-549_Q",
  y: "dU3biz8sZ_8GPB-odm8Wxz3lNDr1xcAQQPQaOcr1fmc",
};

test("the key id is that of libtrust", () => {
  const key = createPublicKey({ key: EXAMPLE, format: "jwk" });
  const name = keyId(key);
  assert.match(name, /^(?:[A-Z2-7]{4}:){11}[A-Z2-7]{4}$/);
  assert.equal(name, "PYYO:TEWU:V7JH:26JV:AQTZ:LJC3:SXVJ:XGHA:34F2:2LAQ:ZRMK:Z7Q6");
});
