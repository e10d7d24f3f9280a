import assert from "node:assert/strict";
import { test } from "node:test";
import { readImageName } from "./image-name.ts";

test("reads names of repositories", () => {
  const read = (text: string) => {
    const { registry, path, tag, isPrefix } = readImageName(text);
    return [registry.url, path, tag, isPrefix];
  };
  assert.deepEqual(read("cr.example.com/acme/app"), [
    "https://cr.example.com",
    "acme/app",
    undefined,
    false,
  ]);
  assert.deepEqual(read("cr:5000/app:1.2"), ["https://cr:5000", "app", "1.2", false]);
  assert.deepEqual(read("http://cr/acme/*"), ["http://cr", "acme", undefined, true]);
  assert.deepEqual(read("127.0.0.1:5000/*"), ["http://127.0.0.1:5000", "", undefined, true]);
  assert.deepEqual(read("docker.io/alpine:3"), [
    "https://registry-1.docker.io",
    "library/alpine",
    "3",
    false,
  ]);
});

test("rejects everything else", () => {
  for (const text of [
    ...["", "app", "acme/app", "cr.example.com/", "cr.example.com/Acme", "cr.example.com/../v2/x"],
    ...["cr.example.com/acme/app:", "cr.example.com/acme/app:a b", "cr.example.com/a/*:1"],
    ...["user:pass@cr.example.com/app", "cr.example.com/a//b", "ftp://cr.example.com/app"],
    ...["cr.example.com/app@sha256:00", "cr.example.com?x/app", "cr.example.com/a*"],
  ]) {
    assert.throws(() => readImageName(text), { name: "CommandError" }, text);
  }
});
