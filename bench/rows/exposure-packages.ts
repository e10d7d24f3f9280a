import { dataSet } from "../data-set.ts";
import {
  PACKAGE_SHARE,
  PACKAGES,
  packageName,
  packageRows,
  WIDESPREAD,
  WIDESPREAD_SHARE,
} from "../exposure-data.ts";
import { inTurn } from "../load/in-turn.ts";
import type { Load } from "../load/load.ts";
import { measureLoads, perSecond } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { Program } from "../program.ts";
import type { PackageImagesJob } from "../reference/package-images.ts";
import { counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";

export function packageImagesPath(name: string): string {
  return `/exposure/v2beta1/packageImages?uidp.descendantsOf=${ORGANIZATION}&package=${name}`;
}

/** Packages that are asked for in turn, so that no cache answers. */
const ORDINARY = Array.from({ length: 500 }, (_, at) => packageName((at * 7) % PACKAGES));

function row(images: number, what: string, packages: readonly string[], found: number): Row {
  return {
    work: `which of ${counted(images)} images contain ${what} (${counted(packageRows(images))} rows)`,
    reference: "bare SQLite, two statements",
    target: { atLeast: 0.3 },

    async measure(bench) {
      const { cores } = bench;
      const data = await dataSet(images, "exposure");
      await using server = await serve(bench, data);
      await using reference = new Program<PackageImagesJob, Load>(
        "reference/package-images.ts",
        cores.serving,
      );
      const page = JSON.parse(await server.rest(packageImagesPath(packages[0] as string)));
      mustEqual([page.images.length, Number(page.totalCount)], [50, found]);
      const load = inTurn(bench.http, {
        ...{ port: server.port, token: server.token, method: "GET", connections: 1 },
        targets: packages.map((name) => ({ path: packageImagesPath(name) })),
      });
      const bare = (seconds: number) => reference.ask({ data, packages, seconds });
      const sides = [
        { pid: reference.pid, load: bare },
        { pid: server.pid, load },
      ] as const;
      const measured = await measureLoads(bench, "per s", perSecond, ...sides);
      const notes = [`first pages of 50 with the total of ${counted(found)}`, ...measured.notes];
      return { ...measured, notes };
    },
  };
}

/** Images by package, among tens of millions of packages. */
export function packageImagesRows({ sizes: { medium } }: Options): Row[] {
  return [
    row(medium, "a package", ORDINARY, medium / PACKAGE_SHARE),
    row(medium, "a package that half of them have", [WIDESPREAD], medium / WIDESPREAD_SHARE),
  ];
}
