import type { Store } from "../../store/db/store.ts";
import { signatureWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { signedBelow } from "../../store/tables/registry/signatures.ts";
import { workInPages } from "../work/pages.ts";

/** Manifests per transaction. */
const BATCH_SIZE = 500;

/** Work `keys`: requests the verification of all signatures below a group, whose keys have changed. */
export function requestSignatures(store: Store, work: Work): Promise<void> {
  return workInPages(store, work, async (tx, after) => {
    const [repo = "", digest = ""] = after.split(" ");
    // After what is pushed now, which is due at once.
    const due = Date.now();
    const page = await signedBelow(tx, work.key, { repo, digest }, BATCH_SIZE);
    const requests = page.map((one) => ({ ...signatureWork(one.repo, one.digest), due }));
    await requestWork(tx, requests);
    const end = page.length < BATCH_SIZE ? undefined : page.at(-1);
    return end && `${end.repo} ${end.digest}`;
  });
}
