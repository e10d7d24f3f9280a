/** Calls every method about signatures. */
import assert from "node:assert/strict";
import type { Wharf } from "@wharf/client";
import type { Images } from "../../../server/test/support/exposure/pushed-images.ts";
import { keyPair } from "../../../server/test/support/signatures/signing.ts";

export async function callSignatures(
  { verificationKeys, signatures }: Wharf,
  { organization, repo: repoUid, affected: digest, settled }: Images,
): Promise<void> {
  const verificationKey = { name: "release", publicKey: keyPair().pem };
  const { uid } = await verificationKeys.create({ parent: organization, verificationKey });
  await verificationKeys.update({ verificationKey: { uid, name: "releases" } });
  assert.equal((await verificationKeys.get({ uid })).name, "releases");
  const list = await verificationKeys.list({ uidp: { childrenOf: organization } });
  assert.equal(list.verificationKeys.length, 1);
  await verificationKeys.delete({ uid });
  await settled();
  assert.deepEqual((await signatures.listImage({ repoUid, digest })).signatures, []);
  assert.deepEqual((await signatures.listStates({ repoUid, digests: [digest] })).states, []);
}
