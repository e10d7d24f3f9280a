import assert from "node:assert/strict";
import { test } from "node:test";
import { browserUrl, passkeySite } from "./passkeys.ts";

test("passkeys are bound to the host of the auth URL", () => {
  assert.deepEqual(passkeySite("https://auth.example.com/wharf"), {
    rpId: "auth.example.com",
    origin: "https://auth.example.com",
  });
  assert.deepEqual(passkeySite("https://auth.example.com:8443"), {
    rpId: "auth.example.com",
    origin: "https://auth.example.com:8443",
  });
});

test("loopback addresses become localhost", () => {
  const site = { rpId: "localhost", origin: "http://localhost:8080" };
  for (const url of ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"]) {
    assert.deepEqual(passkeySite(url), site, url);
    assert.equal(browserUrl(url), "http://localhost:8080");
  }
});

test("other IP addresses have no passkeys", () => {
  for (const url of ["http://192.0.2.1:8080", "https://[2001:db8::1]", "http://10.0.0.1"]) {
    assert.equal(passkeySite(url), undefined, url);
    assert.equal(browserUrl(url), url);
  }
});
