import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive } from "@wharf/contract/messages";
import type { Product, Products } from "./csaf-products.ts";
import type { DocumentNode } from "./document-node.ts";
import { parseImpact, parseSentence } from "./sentences.ts";
import { type Assessment, JUSTIFICATIONS, type Plan } from "./vex.ts";

/** The statuses by the lists of product_status. The list `recommended` has no status. */
export const STATUSES: ReadonlyMap<string, Assessment["status"]> = new Map([
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

/** A flag, threat or remediation. */
interface ProductNote {
  readonly note: string;
  /** The time of the finding or of the remediation. */
  readonly time: Timestamp | undefined;
  readonly because?: FalsePositive | undefined;
  readonly plan?: Plan | undefined;
  readonly isPatched?: boolean | undefined;
  /** Whether it describes the impact, possibly without text. */
  readonly isImpact?: boolean;
}

/** The flags, threats and remediations of one vulnerability. */
export class ProductNotes {
  /** By product id: a lookup per product, as there may be very many of both. */
  readonly #all = new Map<string, ProductNote[]>();

  constructor(node: DocumentNode, products: Products) {
    const read = (name: string, more: (one: DocumentNode) => Omit<ProductNote, "time">): void => {
      for (const one of node.field(name).items("products")) {
        if (!one.requireObject()) continue;
        const time = one.field("date").pastTime();
        const note = { time, ...more(one) };
        for (const id of products.idsOf(one)) this.#add(id, note);
      }
    };
    read("flags", (one) => ({ note: "", because: one.field("label").oneOf(JUSTIFICATIONS) }));
    read("threats", (one) => {
      const impact = parseImpact(one.field("details"));
      return one.field("category").requiredString() === "impact"
        ? { ...impact, isImpact: true }
        : { note: "" };
    });
    read("remediations", (one) => {
      const category = one.field("category").oneOf(REMEDIATIONS);
      const { plan = category, isPatched, note } = parseSentence(one.field("details"));
      return { note, plan, isPatched };
    });
  }

  on(id: string): readonly ProductNote[] {
    return this.#all.get(id) ?? [];
  }

  #add(id: string, note: ProductNote): void {
    const same = this.#all.get(id);
    if (same === undefined) this.#all.set(id, [note]);
    else same.push(note);
  }

  /** The time of a product's status, if known. */
  timeOf(id: string): Timestamp | undefined {
    return this.on(id).find(({ time }) => time !== undefined)?.time;
  }
}

/**
 * The assessment of a product on a list of product_status.
 *
 * @example assessmentOf("affected", node, product, remarks)
 */
export function assessmentOf(
  status: Assessment["status"],
  node: DocumentNode,
  { version }: Product,
  notes: ProductNotes,
): Assessment {
  const own = notes.on(node.optionalUrl());
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
    node.addWarning("is known_not_affected without a flag or an impact threat");
  }
  return { status, because: because ?? FalsePositive.UNSPECIFIED, note };
}
