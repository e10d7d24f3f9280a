import { fromBinary } from "@bufbuild/protobuf";
import { ancestorsOf, VerificationKeySchema } from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import { keysOfGroups } from "../../store/tables/registry/signatures.ts";
import type { TrustedKey } from "./signature-messages.ts";

/** Keys that one signature is compared with: those of the nearest groups. */
const MAX_KEYS = 128;

/** The verification keys that count for a repo: those of the groups above, the nearest first. */
export async function trustedKeys(reader: Reader, repo: string): Promise<TrustedKey[]> {
  const rows = await keysOfGroups(reader, ancestorsOf(repo), MAX_KEYS);
  return rows.map(({ uid, updated: version, data }) => {
    const { publicKey, keyless } = fromBinary(VerificationKeySchema, data);
    return { uid, version, publicKey, keyless };
  });
}
