/** Signatures with certificates of an authority: identities, logs and times, without any network. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type CertifiedKey, type Subject, TestAuthority } from "./support/signatures/authority.ts";
import { SignedImage } from "./support/signatures/signed-image.ts";
import {
  annotationOf,
  BUNDLE,
  ENVELOPE,
  envelopeOf,
  messageOf,
  payloadOf,
  simpleSignature,
  statementOf,
  TestLog,
} from "./support/signatures/signing.ts";
import { ImageWorld } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const ISSUER = "https://token.actions.githubusercontent.com";
const WORKFLOW = "https://github.com/acme/app/.github/workflows/release.yml@refs/heads/main";
const SUBJECT = { uri: WORKFLOW, issuer: ISSUER };

onEachStore(
  "keyless signatures of images",
  (world) => {
    let images: ImageWorld;
    let authority: TestAuthority;
    const log = new TestLog();
    before(async () => {
      images = await ImageWorld.of(world);
      authority = await TestAuthority.create();
    });
    const pushed = () => SignedImage.push(images);

    const identity = (fields: object = {}) => ({
      keyless: {
        ...{ issuer: ISSUER, subject: "https://github.com/acme/*" },
        certificateAuthority: authority.pem,
        transparencyLogs: log.key.pem,
        ...fields,
      },
    });

    /** A layer of the tag `.sig`, signed by a new certificate. */
    async function layerOf(digest: string, subject: Subject = SUBJECT, given: Changes = {}) {
      const { by = authority, at = log, time = Date.now(), payload = payloadOf(digest) } = given;
      const key = await by.certify(subject);
      const layer = simpleSignature(key, payload);
      const signature = layer.annotations["dev.cosignproject.cosign/signature"] as string;
      const entry = at.entry(signature, payload, time, key.certificate);
      const annotations = {
        ...layer.annotations,
        "dev.sigstore.cosign/certificate": key.certificate,
        "dev.sigstore.cosign/chain": by.pem,
        "dev.sigstore.cosign/bundle": annotationOf(entry),
      };
      return { ...layer, annotations };
    }

    interface Changes {
      readonly by?: TestAuthority;
      readonly at?: TestLog;
      readonly time?: number;
      readonly payload?: Buffer;
    }

    function bundleOf(key: CertifiedKey, content: object, entries: readonly object[]) {
      const certificate = { rawBytes: key.der };
      const verificationMaterial = { certificate, tlogEntries: entries };
      return { mediaType: BUNDLE, verificationMaterial, ...content };
    }

    /** A bundle of a statement. */
    async function statementBundle(digest: string, time = Date.now()) {
      const key = await authority.certify({ ...SUBJECT, from: time - 1_000 });
      const dsseEnvelope = envelopeOf(key, statementOf(digest));
      const entry = log.envelopeEntry(dsseEnvelope, time, key.certificate);
      return bundleOf(key, { dsseEnvelope }, [entry]);
    }

    test("are verified with the identity in the certificate, and the time of the log", async () => {
      const image = await pushed();
      const uid = await image.trust(identity());
      const time = Date.now() - 60_000;
      await image.tag("sig", [await layerOf(image.digest, { ...SUBJECT, from: time }, { time })]);
      const [{ verified, keyUid, subject, issuer, signTime }] = (await image.signatures()) as [
        Record<string, string>,
      ];
      const second = Math.floor(time / 1_000) * 1_000;
      assert.deepEqual(
        [verified, keyUid, subject, issuer, Date.parse(signTime ?? "")],
        [true, uid, WORKFLOW, ISSUER, second],
      );
    });

    test("are bundles and envelopes as well", async () => {
      const image = await pushed();
      await image.trust(identity());
      await image.attach(await statementBundle(image.digest));
      const key = await authority.certify(SUBJECT);
      const manifest = await image.manifest();
      const message = messageOf(key, manifest);
      const { signature } = message.messageSignature;
      const entry = log.entry(signature, manifest, Date.now(), key.certificate);
      await image.attach(bundleOf(key, message, [entry]));
      const envelope = envelopeOf(key, statementOf(image.digest));
      const annotations = {
        "dev.sigstore.cosign/certificate": key.certificate,
        "dev.sigstore.cosign/bundle": annotationOf(
          log.envelopeEntry(envelope, Date.now(), key.certificate),
        ),
      };
      const content = JSON.stringify(envelope);
      await image.tag("att", [{ mediaType: ENVELOPE, content, annotations }]);
      assert.deepEqual(await image.results(), ["verified", "verified", "verified"]);
    });

    test("are verified with a trusted root as well", async () => {
      const image = await pushed();
      const validFor = { start: "2020-01-01T00:00:00Z" };
      const rawBytes = authority.pem.replace(/-----[^-]+-----|\s/g, "");
      const trustedRoot = JSON.stringify({
        mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
        certificateAuthorities: [{ certChain: { certificates: [{ rawBytes }] }, validFor }],
        tlogs: [
          {
            baseUrl: "https://rekor.example.com",
            hashAlgorithm: "SHA2_256",
            publicKey: {
              rawBytes: log.key.pem.replace(/-----[^-]+-----|\s/g, ""),
              keyDetails: "PKIX_ECDSA_P256_SHA_256",
              validFor,
            },
            logId: { keyId: log.id.toString("base64") },
          },
        ],
      });
      const fields = { trustedRoot, certificateAuthority: "", transparencyLogs: "" };
      await image.trust(identity(fields));
      await image.attach(await statementBundle(image.digest));
      await image.tag("sig", [await layerOf(image.digest)]);
      assert.deepEqual(await image.results(), ["verified", "verified"]);
    });

    test("match issuer and subject as a whole", async () => {
      const subjects: [object, Subject, string][] = [
        [{ subject: WORKFLOW }, SUBJECT, "verified"],
        [{ subject: "https://github.com/acme" }, SUBJECT, "other_identity"],
        [{ issuer: "https://accounts.example.com" }, SUBJECT, "other_identity"],
        [{ subject: "*@example.com" }, { email: "a@example.com", issuer: ISSUER }, "verified"],
        [
          { subject: "*@example.com" },
          { email: "a@example.com.evil", issuer: ISSUER },
          "other_identity",
        ],
        [
          { subject: "?@example.com" },
          { email: "ab@example.com", issuer: ISSUER },
          "other_identity",
        ],
        [{ issuer: "*" }, { uri: WORKFLOW }, "verified"],
        [{}, { uri: WORKFLOW }, "other_identity"],
      ];
      for (const [fields, subject, result] of subjects) {
        const image = await pushed();
        await image.trust(identity(fields));
        await image.tag("sig", [await layerOf(image.digest, subject)]);
        assert.deepEqual(await image.results(), [result], JSON.stringify([fields, subject]));
      }
    });

    test("are rejected for a reason", async () => {
      const image = await pushed();
      await image.trust(identity());
      await image.trust(identity({ subject: "nobody@example.com" }));
      const { digest } = image;
      const hour = 3_600_000;
      const good = await layerOf(digest);
      const { "dev.sigstore.cosign/bundle": _, ...unlogged } = good.annotations;
      const replayed = await layerOf(digest);
      const layers: [Awaited<ReturnType<typeof layerOf>>, string][] = [
        [
          await layerOf(digest, SUBJECT, { by: await TestAuthority.create() }),
          "untrusted_certificate",
        ],
        // The certificate is that of an hour ago, or of the next one, and the log says now.
        [await layerOf(digest, { ...SUBJECT, from: Date.now() - hour }), "certificate_expired"],
        [await layerOf(digest, { ...SUBJECT, from: Date.now() + hour }), "certificate_expired"],
        [await layerOf(digest, SUBJECT, { at: new TestLog() }), "not_logged"],
        [{ ...good, annotations: unlogged as typeof good.annotations }, "no_trusted_time"],
        // The entry of the log is that of another signature.
        [
          {
            ...replayed,
            annotations: {
              ...replayed.annotations,
              "dev.sigstore.cosign/bundle": good.annotations["dev.sigstore.cosign/bundle"],
            },
          },
          "not_logged",
        ],
        [
          await layerOf(digest, SUBJECT, { payload: payloadOf(`sha256:${"1".repeat(64)}`) }),
          "wrong_subject",
        ],
        [
          {
            ...good,
            annotations: { ...good.annotations, "dev.sigstore.cosign/certificate": "none" },
          },
          "malformed",
        ],
      ];
      await image.tag(
        "sig",
        layers.map(([layer]) => layer),
      );
      assert.deepEqual(
        await image.results(),
        layers.map(([, reason]) => reason),
      );
      const claimed = (await image.signatures())[0];
      assert.deepEqual([claimed.subject, claimed.signTime], [WORKFLOW, undefined]);
      await image.tag("sig", [good]);
      assert.deepEqual(await image.results(), ["verified"]);
    });

    test("of bundles are rejected if anything in them was changed", async () => {
      const image = await pushed();
      await image.trust(identity());
      const bundle = await statementBundle(image.digest);
      const text = JSON.stringify(bundle);
      const [entry] = bundle.verificationMaterial.tlogEntries as [
        ReturnType<TestLog["envelopeEntry"]>,
      ];
      const { envelope } = entry.inclusionProof.checkpoint;
      const [, sig = ""] = /"sig":"([^"]+)"/.exec(text) ?? [];
      const changes: [string, string, string][] = [
        [
          `"integratedTime":"${entry.integratedTime}"`,
          '"integratedTime":"1"',
          "certificate_expired",
        ],
        [
          JSON.stringify(envelope).slice(1, 40),
          JSON.stringify(`x${envelope}`).slice(1, 41),
          "not_logged",
        ],
        [sig, `${sig.slice(0, 20)}${sig[20] === "A" ? "B" : "A"}${sig.slice(21)}`, "not_logged"],
        ['"logIndex":"0"', '"logIndex":"1"', "not_logged"],
        ["vnd.dev.sigstore.bundle.v0.3+json", "vnd.in-toto+json", "malformed"],
      ];
      const expected = new Map<string, string>();
      for (const [from, to, reason] of changes) {
        assert.ok(text.includes(from), from);
        expected.set(await image.attach(text.replace(from, to)), reason);
      }
      const found = (await image.signatures()).map((one) => [one.manifestDigest, one.reason]);
      assert.deepEqual(found.sort(), [...expected].sort());
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);
