import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePackageUrl } from "./package-url.ts";

const qualifiersOf = (text: string) => Object.fromEntries(parsePackageUrl(text)?.qualifiers ?? []);

test("a second question mark separates qualifiers, as in Ubuntu's records", () => {
  assert.deepEqual(qualifiersOf("pkg:deb/ubuntu/curl@7?arch=source?distro=jammy"), {
    arch: "source",
    distro: "jammy",
  });
});

test("a question mark within the address of a file is a part of it", () => {
  const address = "https://a.test/b?c=d";
  assert.deepEqual(qualifiersOf(`pkg:generic/a@1?download_url=${address}&arch=x`), {
    download_url: address,
    arch: "x",
  });
});
