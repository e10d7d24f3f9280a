import { skopeo } from "../../packages/server/test/support/registry/distribution.ts";
import { copyOf } from "../data-set.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { RegistrySite } from "../registry-site.ts";
import { counted, type Row } from "../row.ts";
import { mustEqual } from "../verify.ts";

/** Images in the repository, each with its own tag. */
const FULL = 200;
const QUICK = 20;

export function reconcileRow({ quick }: Options): Row {
  const images = quick ? QUICK : FULL;
  return {
    work: `reconcile pass over a registry with ${counted(images)} new images, manifests`,
    reference: "skopeo list-tags, and inspect of each",
    target: { atLeast: 2.5 },

    async measure(bench) {
      await using site = await RegistrySite.open(bench);
      for (let at = 0; at < images; at++) {
        site.storage.tag(site.path, `v${at}`, site.storage.image(`image ${at}`));
      }

      const look = async () => {
        // Each pass finds the store without the repository: one that was deleted is not created again.
        using data = copyOf(site.data.path);
        await using _server = await site.serve(true, data.path);
        const { ms, manifests } = await site.looked(data.path);
        mustEqual(manifests, images);
        return (manifests * 1000) / ms;
      };

      const inspect = async () => {
        await using server = await site.serve(false);
        const token = await site.credentials(server);
        const flags = ["--tls-verify=false", "--creds", `_token:${token}`];
        const at = `docker://${site.host}/${site.path}`;
        const begun = performance.now();
        const { ok, output } = await skopeo("list-tags", ...flags, at);
        if (!ok) throw new Error(output);
        const { Tags: tags } = JSON.parse(output) as { Tags: string[] };
        for (const tag of tags) {
          // Without the list of tags, which it would read again for each.
          const seen = await skopeo("inspect", "--no-tags", ...flags, `${at}:${tag}`);
          if (!seen.ok) throw new Error(seen.output);
        }
        mustEqual(tags.length, images);
        return (images * 1000) / (performance.now() - begun);
      };

      const figures = await alternately(bench.options.rounds, inspect, look);
      const notes = [
        "ours sends eight requests concurrently and stores the results; skopeo starts a process for each",
      ];
      return { unit: "per s", ...figures, notes };
    },
  };
}
