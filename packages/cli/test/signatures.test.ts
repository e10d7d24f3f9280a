/** Verification keys and signatures of images on the command line. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  keyPair,
  payloadOf,
  simpleSignature,
} from "../../server/test/support/signatures/signing.ts";
import { ExposedImages } from "./support/exposed-images.ts";

describe("signatures on the command line", () => {
  let exposed: ExposedImages;
  before(async () => {
    exposed = await ExposedImages.start();
  });
  after(() => exposed.stop());

  test("are required by a pipeline, and verified with a key", async () => {
    const { images } = exposed;
    const { digest } = await images.push("acme/signed", "1", "a layer");
    const args = ["images", "signatures", "acme/signed:1"];
    const unsigned = await exposed.run([...args, "--require-verified"]);
    assert.deepEqual([unsigned.code, /it is not signed/.test(unsigned.stderr)], [8, true]);
    const key = keyPair();
    const layers = [simpleSignature(key, payloadOf(digest))];
    await images.manifest("acme/signed", `${digest.replace(":", "-")}.sig`, { layers });
    const untrusted = await exposed.run([...args, "--require-verified"]);
    assert.deepEqual(
      [untrusted.code, /no group above the image/i.test(untrusted.stderr)],
      [8, true],
    );
    assert.match(await exposed.ok(args), /^no: no_keys /m);
    const created = await exposed.run(
      ["verification-keys", "create", "release", "--parent", "acme", "--public-key", "-"],
      { input: key.pem },
    );
    assert.equal(created.code, 0, created.stderr);
    assert.match(await exposed.ok([...args, "--require-verified"]), /^yes +release /m);
    assert.match(await exposed.ok(["verification-keys", "list"]), /^release +acme .*sha256:/m);
    const described = await exposed.ok(["verification-keys", "describe", "acme/release"]);
    assert.match(described, /BEGIN PUBLIC KEY/);
    await exposed.ok(["verification-keys", "delete", "acme/release", "--yes"]);
    assert.equal((await exposed.run([...args, "--require-verified"])).code, 8);
  });

  test("need a key or an identity", async () => {
    const create = ["verification-keys", "create", "x", "--parent", "acme"];
    for (const args of [[], ["--public-key", "-", "--issuer", "https://issuer.example.com"]]) {
      assert.equal((await exposed.run([...create, ...args], { input: "key" })).code, 2);
    }
  });
});
