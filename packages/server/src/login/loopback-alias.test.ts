import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpRequest } from "../wire/endpoint.ts";
import { loopbackAlias } from "./loopback-alias.ts";

const at = (host: string | undefined, authUrl: string) =>
  loopbackAlias({ headers: { host } } as HttpRequest, authUrl);

test("another loopback name is an alias, in both directions", () => {
  assert.equal(at("localhost:8080", "http://127.0.0.1:8080"), "http://localhost:8080");
  assert.equal(at("127.0.0.1:8080", "http://localhost:8080"), "http://127.0.0.1:8080");
  assert.equal(at("[::1]:8080", "http://127.0.0.1:8080"), "http://[::1]:8080");
  assert.equal(at("localhost", "https://127.0.0.1"), "https://localhost");
});

test("the host of the auth URL is no alias", () => {
  assert.equal(at("127.0.0.1:8080", "http://127.0.0.1:8080"), undefined);
  assert.equal(at("LOCALHOST:8080", "http://localhost:8080"), undefined);
});

test("other hosts, other ports and public auth URLs have no alias", () => {
  for (const host of [
    undefined,
    "",
    "@",
    "localhost:1",
    "localhost",
    "evil.example:8080",
    "localhost:8080@evil.example:8080",
    "evil.example:8080/@localhost:8080",
    "evil.example:8080#localhost:8080",
    "localhost.evil.example:8080",
  ]) {
    assert.equal(at(host, "http://127.0.0.1:8080"), undefined, String(host));
  }
  assert.equal(at("localhost", "https://wharf.example.com"), undefined);
});
