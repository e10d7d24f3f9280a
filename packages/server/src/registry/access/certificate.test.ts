import assert from "node:assert/strict";
import { KeyObject, webcrypto, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { selfSigned } from "./certificate.ts";

test("a certificate contains the key, is self-signed and valid for 20 years", async () => {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await webcrypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  const now = Date.UTC(2026, 1, 28);
  const pem = await selfSigned(pair, now);
  assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[\s\S]+\n-----END CERTIFICATE-----\n$/);
  const certificate = new X509Certificate(pem);
  const publicKey = KeyObject.from(pair.publicKey);
  assert.ok(certificate.publicKey.equals(publicKey));
  assert.ok(certificate.verify(publicKey));
  assert.equal(certificate.subject, certificate.issuer);
  assert.ok(Date.parse(certificate.validFrom) < now);
  assert.equal(new Date(certificate.validTo).getUTCFullYear(), 2046);
  assert.match(certificate.serialNumber, /^01[0-9A-F]{16}$/);
});
