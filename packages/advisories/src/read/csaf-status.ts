import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive } from "@wharf/contract/messages";
import type { At } from "./at.ts";
import type { Product, Products } from "./csaf-products.ts";
import { READ_LIMITS } from "./limits.ts";
import { ownImpact, ownWords } from "./own-words.ts";
import { JUSTIFICATIONS, type Plan, type Standing } from "./vex.ts";

/** The lists of a product status, and what being on one means. What is merely recommended is no status. */
export const STATUSES: ReadonlyMap<string, Standing["status"]> = new Map([
  ["fixed", "fixed"],
  ["first_fixed", "fixed"],
  ["known_affected", "affected"],
  ["first_affected", "affected"],
  ["last_affected", "affected"],
  ["known_not_affected", "not_affected"],
  ["under_investigation", "under_investigation"],
]);

const REMEDIATIONS: ReadonlyMap<string, Plan> = new Map([
  ["vendor_fix", "fix"],
  ["mitigation", "fix"],
  ["workaround", "fix"],
  ["none_available", "upstream"],
  ["no_fix_planned", "none"],
]);

/** What is said of products beside their status. */
interface Remark {
  readonly note: string;
  /** When it was found, or the remedy came. */
  readonly time: Timestamp | undefined;
  readonly because?: FalsePositive | undefined;
  readonly plan?: Plan | undefined;
  readonly isPatched?: boolean | undefined;
  /** Says what the vulnerability can do here, if only that it is nothing. */
  readonly isImpact?: boolean;
}

/** The flags, threats and remediations of one vulnerability. */
export class Remarks {
  /** By the id of the product: there are as many of the one as of the other. */
  readonly #all = new Map<string, Remark[]>();

  constructor(at: At, products: Products) {
    const read = (name: string, more: (one: At) => Omit<Remark, "time">): void => {
      for (const one of at.field(name).items(READ_LIMITS.products)) {
        if (!one.mustBeObject()) continue;
        const time = one.field("date").timeIfAny();
        const remark = { time, ...more(one) };
        for (const id of products.idsOf(one)) this.#add(id, remark);
      }
    };
    read("flags", (one) => ({ note: "", because: one.field("label").oneOf(JUSTIFICATIONS) }));
    read("threats", (one) => {
      const note = ownImpact(one.field("details"));
      return one.field("category").word() === "impact" ? { note, isImpact: true } : { note: "" };
    });
    read("remediations", (one) => {
      const category = one.field("category").oneOf(REMEDIATIONS);
      const { plan = category, isPatched, note } = ownWords(one.field("details"));
      return { note, plan, isPatched };
    });
  }

  on(id: string): readonly Remark[] {
    return this.#all.get(id) ?? [];
  }

  #add(id: string, remark: Remark): void {
    const same = this.#all.get(id);
    if (same === undefined) this.#all.set(id, [remark]);
    else same.push(remark);
  }

  /** When a product came to stand as it does, where that is known. */
  timeOf(id: string): Timestamp | undefined {
    return this.on(id).find(({ time }) => time !== undefined)?.time;
  }
}

/**
 * How a product on a list stands.
 *
 * @example standingOf("affected", at, product, remarks)
 */
export function standingOf(
  status: Standing["status"],
  at: At,
  { version, only }: Product,
  remarks: Remarks,
): Standing {
  const own = remarks.on(at.urlIfAny());
  const note = [...new Set(own.map((one) => one.note))].filter(Boolean).join("\n");
  if (status === "fixed") {
    return { status, version, isPatched: own.some(({ isPatched }) => isPatched), note };
  }
  if (status === "under_investigation") return { status, note };
  if (status === "affected") {
    return { status, plan: own.find((one) => one.plan)?.plan ?? "fix", note };
  }
  const because = own.find((one) => one.because)?.because;
  if (because === undefined && note === "" && !own.some(({ isImpact }) => isImpact)) {
    at.refuse("is known_not_affected without a flag or an impact that says why");
  }
  return { status, because: because ?? FalsePositive.UNSPECIFIED, note, only };
}
