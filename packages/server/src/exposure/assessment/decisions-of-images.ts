import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type PackageUrl, parsePackageUrl } from "@wharf/advisories/package-url";
import {
  type Decision,
  DecisionOrigin,
  DecisionReviewState,
  isSelfOrBelow,
  parentOf,
} from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { decisions, expiryOf } from "../decisions.ts";
import { purlMatches } from "../sboms/vex.ts";
import type { FindingStatement } from "./finding.ts";

/** A package in an image, by the names that decisions have for both. */
export interface DecidedPackage {
  readonly repo: string;
  /** Of the image and of the indexes that contain it. */
  readonly digests: readonly string[];
  readonly purl: string;
}

interface EffectiveDecision {
  readonly decision: Decision;
  /** The group or repo at and below which it applies. */
  readonly scope: string;
  readonly package: PackageUrl | undefined;
  readonly statement: FindingStatement;
}

/** The decisions that have effect now, of any group. */
export class Decisions {
  readonly #byName: ReadonlyMap<string, readonly EffectiveDecision[]>;

  constructor(all: readonly Decision[], now: number) {
    const effective = all.filter((one) => isEffective(one, now)).map(effectiveOf);
    this.#byName = Map.groupBy(effective, ({ decision }) => indexable(decision.vulnerability));
  }

  /** The decisions about vulnerabilities with these names. */
  static async read(reader: Reader, names: readonly string[], now: number): Promise<Decisions> {
    return new Decisions(await decisions.whereIn(reader, "vulnerability", names), now);
  }

  /** Whether none has effect. */
  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /**
   * The statements of the decisions that apply: the nearest first, then those about less, then the latest.
   */
  about(names: readonly string[], one: DecidedPackage): FindingStatement[] {
    const url = parsePackageUrl(one.purl);
    return names
      .flatMap((name) => this.#byName.get(name) ?? [])
      .filter((found) => applies(found, one, url))
      .sort(compareAuthority)
      .map(({ statement }) => statement);
  }
}

function isEffective(decision: Decision, now: number): boolean {
  const { reviewState } = decision;
  return reviewState === DecisionReviewState.APPROVED && (expiryOf(decision) ?? Infinity) > now;
}

function effectiveOf(decision: Decision): EffectiveDecision {
  const { uid, package: purl, justification, reason, author, authorName, reviewTime } = decision;
  const expires = expiryOf(decision);
  return {
    decision,
    scope: parentOf(uid),
    package: purl === "" ? undefined : parsePackageUrl(purl),
    statement: {
      origin: DecisionOrigin.DECISION,
      status: decision.status,
      author,
      ...(authorName !== "" && { authorName }),
      ...(justification !== "" && { justification }),
      ...(reason !== "" && { reason }),
      ...(reviewTime && { time: timestampMs(reviewTime) }),
      ...(expires !== undefined && { expires }),
      decision: uid,
    },
  };
}

function applies(
  { decision: { digest, package: purl }, scope, package: url }: EffectiveDecision,
  one: DecidedPackage,
  installed: PackageUrl | undefined,
): boolean {
  if (!isSelfOrBelow(one.repo, scope)) return false;
  if (digest !== "" && !one.digests.includes(digest)) return false;
  if (purl === "") return true;
  return url !== undefined && installed !== undefined && purlMatches(url, installed);
}

function compareAuthority(one: EffectiveDecision, other: EffectiveDecision): number {
  return (
    other.scope.length - one.scope.length ||
    specificity(other.decision) - specificity(one.decision) ||
    timeOf(other.decision) - timeOf(one.decision) ||
    (one.decision.uid < other.decision.uid ? -1 : 1)
  );
}

function specificity({ digest, package: purl }: Decision): number {
  return (digest === "" ? 0 : 2) + (purl === "" ? 0 : 1);
}

function timeOf({ reviewTime }: Decision): number {
  return reviewTime === undefined ? 0 : timestampMs(reviewTime);
}
