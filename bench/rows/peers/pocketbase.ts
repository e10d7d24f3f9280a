import type { Options } from "../../options.ts";
import { counted, NotMeasured, type Row } from "../../row.ts";

const REASON =
  "PocketBase is not available: neither npm nor Debian has the executable of a current version (the package pocketbase is a client, others " +
  "download from GitHub while they run)";

/** PocketBase is measured where it can be had: nowhere at present. Its rows say so, and keep their target. */
export function pocketBaseRows({ sizes }: Options): Row[] {
  const measure = () => Promise.reject(new NotMeasured(REASON));
  const reference = "PocketBase 0.40";
  return [
    { work: "GET one, beside PocketBase", reference, target: { atLeast: 10 }, measure },
    {
      work: `list 50 of ${counted(sizes.medium)} with the total, beside PocketBase`,
      reference,
      measure,
    },
    { work: "durable create, beside PocketBase", reference, measure },
  ];
}
