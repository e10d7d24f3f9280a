import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The reason to skip tests of TLS, where there is one. */
export const withoutOpenssl: string | false =
  spawnSync("openssl", ["version"]).status !== 0 && "openssl makes the certificate";

/** A new certificate of localhost, signed by its own key. */
export function certificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "wharf-tls-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", "/CN=localhost", "-addext", names, "-days", "2"];
  const files = ["-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...curve, ...subject, ...files], { stdio: "ignore" });
  const made = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  rmSync(folder, { recursive: true });
  return made;
}
