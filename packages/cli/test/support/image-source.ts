import { join } from "node:path";
import { writeImage } from "../../../server/test/support/registry/oci-image.ts";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import type { TestServer } from "../../../server/test/support/server/test-server.ts";
import type { Surroundings } from "./walkthrough.ts";

const HELPER = join(import.meta.dirname, "../../bin/docker-credential-wharf.cjs");

/** The surroundings of a document that pushes docker://alpine: an image here takes its place, with a layer of its own. */
export function withImage(server: TestServer, layer?: Buffer): Surroundings {
  const folder = scratchFolder("wharf-alpine-");
  writeImage(folder, "latest", layer ?? "a file");
  const skopeo = `for word; do
  shift
  [ "$word" = docker://alpine ] && word=oci:${folder}:latest
  set -- "$@" "$word"
done
exec /usr/bin/skopeo "$@"`;
  const programs = { skopeo, "docker-credential-wharf": `exec node ${HELPER} "$@"` };
  return { programs, hosts: { "127.0.0.1:8080": new URL(server.url).host } };
}
