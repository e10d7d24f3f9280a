import { usageError } from "./errors.ts";

/** Trusts additional certificate authorities in all connections of this process. */
export async function trust(ca: string | undefined): Promise<void> {
  if (ca === undefined) return;
  const tls = await import("node:tls");
  if (tls.setDefaultCACertificates === undefined) {
    throw usageError(
      `--ca-cert needs Node.js 22.19 or newer, this is ${process.version}`,
      "set NODE_EXTRA_CA_CERTS to the file instead",
    );
  }
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), ca]);
}
