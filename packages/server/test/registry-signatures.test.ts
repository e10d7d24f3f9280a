/** Signatures with public keys, in all forms of cosign: who has signed, verified or not, and why not. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { MANIFEST } from "./support/registry/oci-client.ts";
import { SignedImage } from "./support/signatures/signed-image.ts";
import {
  ENVELOPE,
  envelopeOf,
  keyBundle,
  keyPair,
  messageOf,
  payloadOf,
  simpleSignature,
  statementOf,
} from "./support/signatures/signing.ts";
import { ImageWorld } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const OTHER = `sha256:${"0".repeat(64)}`;

onEachStore(
  "signatures of images",
  (world) => {
    let images: ImageWorld;
    before(async () => {
      images = await ImageWorld.of(world);
    });
    const pushed = () => SignedImage.push(images);

    test("are verified with keys of every kind", async () => {
      for (const kind of ["P-256", "P-384", "P-521", "ed25519", 2_048] as const) {
        const image = await pushed();
        const key = keyPair(kind);
        const uid = await image.trust({ publicKey: key.pem, name: `key ${kind}` });
        await image.tag("sig", [simpleSignature(key, payloadOf(image.digest))]);
        const [signature, ...others] = await image.signatures();
        const { form, verified, keyUid, keyName, predicateType = "", reason = "" } = signature;
        assert.deepEqual(
          [form, verified, keyUid, keyName, predicateType, reason, others.length],
          ["SIGNATURE_FORM_SIMPLE_SIGNING", true, uid, `key ${kind}`, "", "", 0],
        );
      }
    });

    test("are bundles of statements and of messages, and envelopes", async () => {
      const image = await pushed();
      // Of a larger curve, Sigstore uses the larger hash.
      const key = keyPair("P-384");
      await image.trust({ publicKey: key.pem });
      const statement = statementOf(image.digest, "https://sigstore.dev/cosign/sign/v1");
      const dsseEnvelope = envelopeOf(key, statement, "sha384");
      const manifest = await image.attach(keyBundle(key, { dsseEnvelope }));
      await image.attach(keyBundle(key, messageOf(key, await image.manifest())));
      const provenance = envelopeOf(key, statementOf(image.digest));
      await image.tag("att", [{ mediaType: ENVELOPE, content: JSON.stringify(provenance) }]);
      const found = (await image.signatures()).map(({ form, verified, predicateType = "" }) =>
        [form.replace("SIGNATURE_FORM_", ""), verified, predicateType].join(" "),
      );
      assert.deepEqual(found.sort(), [
        "BUNDLE true ",
        "BUNDLE true https://sigstore.dev/cosign/sign/v1",
        "ENVELOPE true https://slsa.dev/provenance/v1",
      ]);
      const listed = (await image.signatures()).map((one) => one.manifestDigest);
      assert.ok(listed.includes(manifest));
    });

    test("are verified by a key that is added later, and not by one that is changed or deleted", async () => {
      const image = await pushed();
      const [key, other] = [keyPair(), keyPair()];
      await image.tag("sig", [simpleSignature(key, payloadOf(image.digest))]);
      assert.deepEqual(await image.results(), ["no_keys"]);
      const uid = await image.trust({ publicKey: key.pem });
      assert.deepEqual(await image.results(), ["verified"]);
      const { verificationKeys } = world.operator();
      await verificationKeys.update(uid, { publicKey: other.pem });
      // It does not count from the change on, whether it was verified again or not.
      assert.equal((await image.list()).signatures[0].verified ?? false, false);
      assert.deepEqual(await image.results(), ["untrusted"]);
      await verificationKeys.update(uid, { publicKey: key.pem });
      assert.deepEqual(await image.results(), ["verified"]);
      await verificationKeys.delete(uid);
      assert.equal((await image.list()).signatures[0].verified ?? false, false);
      assert.deepEqual(await image.results(), ["no_keys"]);
    });

    test("count by keys of groups above the image, and of no others", async () => {
      const [image, sibling] = [await pushed(), await pushed()];
      const key = keyPair();
      await image.tag("sig", [simpleSignature(key, payloadOf(image.digest))]);
      await image.trust({ publicKey: key.pem }, sibling.group);
      await image.trust({ publicKey: key.pem }, await world.organization());
      assert.deepEqual(await image.results(), ["no_keys"]);
      const organization = await image.trust({ publicKey: key.pem }, world.registry.organization);
      assert.deepEqual(await image.results(), ["verified"]);
      const nearer = await image.trust({ publicKey: key.pem });
      assert.equal((await image.signatures())[0].keyUid, nearer);
      for (const uid of [nearer, organization]) await world.operator().verificationKeys.delete(uid);
    });

    test("are rejected for a reason", async () => {
      const image = await pushed();
      const [key, stranger] = [keyPair(), keyPair()];
      await image.trust({ publicKey: key.pem });
      const payload = payloadOf(image.digest);
      const good = simpleSignature(key, payload);
      const about = (digest: string) => envelopeOf(key, statementOf(digest));
      const manifest = await image.manifest();
      const tampered = Buffer.from(String(payload).replace('"optional":null', '"optional":true'));
      await image.tag("sig", [
        simpleSignature(stranger, payload),
        { ...good, content: tampered },
        simpleSignature(key, payloadOf(OTHER)),
        simpleSignature(key, payloadOf(image.digest, { type: "atomic container signature" })),
        { ...good, content: "no JSON", annotations: {} },
      ]);
      assert.deepEqual(await image.results(), [
        ...["untrusted", "untrusted", "wrong_subject", "malformed", "malformed"],
      ]);
      const bundles: [object | string, string][] = [
        [keyBundle(key, { dsseEnvelope: about(OTHER) }), "wrong_subject"],
        [keyBundle(key, messageOf(key, Buffer.concat([manifest, Buffer.of(10)]))), "wrong_subject"],
        [keyBundle(key, messageOf(stranger, manifest)), "invalid_signature"],
        [keyBundle(stranger, messageOf(stranger, manifest)), "untrusted"],
        [
          keyBundle(key, { dsseEnvelope: { ...about(image.digest), payloadType: "text/plain" } }),
          "malformed",
        ],
        [{ mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json" }, "malformed"],
        ["[".repeat(100_000), "malformed"],
        [
          keyBundle(key, { dsseEnvelope: about(image.digest) }, { tlogEntries: Array(9).fill({}) }),
          "too_large",
        ],
      ];
      const expected = new Map<string, string>();
      for (const [bundle, reason] of bundles) expected.set(await image.attach(bundle), reason);
      const found = (await image.signatures()).filter((one) => expected.has(one.manifestDigest));
      assert.deepEqual(
        found.map(({ manifestDigest, reason }) => [manifestDigest, reason]).sort(),
        [...expected].sort(),
      );
      for (const { description, verified = false } of found) {
        assert.equal(verified, false);
        assert.match(description, /^[A-Z].*\.$/);
      }
    });

    test("of large attestations are verified in a thread", async () => {
      const image = await pushed();
      const key = keyPair();
      await image.trust({ publicKey: key.pem });
      const large = JSON.parse(String(statementOf(image.digest)));
      large.predicate = { log: "x".repeat(2_000_000) };
      const envelope = envelopeOf(key, Buffer.from(JSON.stringify(large)));
      await image.tag("att", [
        { mediaType: ENVELOPE, content: JSON.stringify(envelope) },
        { mediaType: ENVELOPE, content: "[".repeat(2_000_000) },
      ]);
      assert.deepEqual(await image.results(), ["verified", "malformed"]);
    });

    test("of the Notary Project are listed, and not verified", async () => {
      const image = await pushed();
      await image.trust({ publicKey: keyPair().pem });
      await images.manifest(image.name, "", {
        subject: image.digest,
        artifactType: "application/vnd.cncf.notary.signature",
        layers: [{ mediaType: "application/jose+json", content: "{}" }],
      });
      const [{ form, reason }] = (await image.signatures()) as [Record<string, string>];
      assert.deepEqual([form, reason], ["SIGNATURE_FORM_NOTARY", "unsupported"]);
    });

    test("may come before the image, and go before it", async () => {
      const image = await pushed();
      const key = keyPair();
      await image.trust({ publicKey: key.pem });
      const bytes = await image.manifest();
      await images.delete(image.name, image.digest);
      const attached = await image.attach(keyBundle(key, messageOf(key, bytes)));
      await images.settled();
      assert.equal((await rejected(image.list())).code, 5);
      await images.put(image.name, "1", JSON.parse(String(bytes)), MANIFEST);
      assert.deepEqual(await image.results(), ["verified"]);
      await images.delete(image.name, attached);
      assert.deepEqual(await image.results(), []);
      await image.attach(keyBundle(key, messageOf(key, bytes)));
      assert.deepEqual(await image.results(), ["verified"]);
      await images.delete(image.name, image.digest);
      await images.settled();
      const rows = await images.rows(`SELECT 1 FROM image_signatures WHERE repo = '${image.repo}'`);
      assert.deepEqual(rows, []);
    });

    test("are counted for lists of tags", async () => {
      const image = await pushed();
      const [key, plain] = [keyPair(), await images.push(image.name, "2", "no file system")];
      const digests = [image.digest, plain.digest, OTHER];
      const states = async () => {
        await images.settled();
        const { signatures } = world.operator();
        return signatures.listSignatureStates({ repoUid: image.repo, digests });
      };
      assert.deepEqual(await states(), { states: [] });
      const payload = payloadOf(image.digest);
      await image.tag(
        "sig",
        [key, keyPair()].map((one) => simpleSignature(one, payload)),
      );
      const counted = { digest: image.digest, signatures: 2 };
      assert.deepEqual(await states(), {
        states: [{ ...counted, state: "SIGNATURE_STATE_UNVERIFIED", verified: 0 }],
      });
      await image.trust({ publicKey: key.pem });
      assert.deepEqual(await states(), {
        states: [{ ...counted, state: "SIGNATURE_STATE_VERIFIED", verified: 1 }],
      });
    });

    test("are for those who may read the image", async () => {
      const image = await pushed();
      await image.tag("sig", [simpleSignature(keyPair(), payloadOf(image.digest))]);
      await images.settled();
      const readers = ["repo.list", "manifest.metadata.list"];
      const { token } = await world.member({ [image.group]: readers });
      const [reader, stranger] = [
        world.operator().as(token),
        world.operator().as((await world.member()).token),
      ];
      const { repo: repoUid, digest } = image;
      const request = { repoUid, digests: [digest] };
      assert.equal(
        (await reader.signatures.listImageSignatures({ repoUid, digest })).signatures.length,
        1,
      );
      assert.equal((await reader.signatures.listSignatureStates(request)).states.length, 1);
      for (const call of [
        () => stranger.signatures.listImageSignatures({ repoUid, digest }),
        () => stranger.signatures.listSignatureStates(request),
      ]) {
        assert.equal((await rejected(call())).code, 7);
      }
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);
