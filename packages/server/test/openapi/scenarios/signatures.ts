import { payloadOf, SIMPLE_SIGNING } from "../../support/signatures/signing.ts";
import { ImageWorld } from "../../support/world/image-world.ts";
import type { Recorder } from "../recorder.ts";

/** The same in each recording. */
const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJ30dm6254eIjR1MMzngQhALTIZ2F
YNS0Rbsq1mgR43dv4DDSIGX6EpFMqtoQbKXWFKrZWZRC/cmvwnk38OBYRw==
-----END PUBLIC KEY-----
`;

/** Verification keys, and signatures of images. */
export async function signatures(record: Recorder): Promise<void> {
  const { world } = record;
  const { organization } = world.registry;
  const method = (name: string) => `VerificationKeysService_${name}`;
  const { uid: path } = await record.body(method("CreateVerificationKey"), {
    path: organization,
    body: { name: "release", publicKey: PUBLIC_KEY },
  });
  await record.call(method("GetVerificationKey"), { path });
  await record.call(method("ListVerificationKeys"), {
    query: { "uidp.children_of": organization },
  });
  await record.call(method("UpdateVerificationKey"), { path, body: { name: "releases" } });
  const images = await ImageWorld.of(world);
  const { digest } = await images.push("acme/app", "1.0", "a layer");
  const tag = `${digest.replace(":", "-")}.sig`;
  // Its bytes are the same in each recording: it is no signature.
  const annotations = { "dev.cosignproject.cosign/signature": "AAAA" };
  const layer = { mediaType: SIMPLE_SIGNING, content: payloadOf(digest), annotations };
  await images.manifest("acme/app", tag, { layers: [layer] });
  await images.settled();
  const repo = await images.repo("acme/app");
  await record.call("SignaturesService_ListImageSignatures", { path: [repo, digest] });
  await record.call("SignaturesService_ListSignatureStates", {
    path: repo,
    query: { digests: digest },
  });
  await record.call(method("DeleteVerificationKey"), { path });
}
