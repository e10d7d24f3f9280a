/** Values of single fields: what the contract expects, or what it does not. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { fieldBehavior, isScope } from "@wharf/contract";
import type { Random } from "../oracle/random.ts";
import { MALFORMED_TEXTS, MASKS, ORDERS } from "./words.ts";

/** The kinds of things that each organization of a world has one of, under these names. */
export const KINDS = [
  "org",
  "group",
  "identity",
  "role",
  "binding",
  "provider",
  "mapping",
  "invite",
  "repo",
  "tag",
  "advisory",
  "event",
] as const;
export type ThingKind = (typeof KINDS)[number];

const INTEGERS: readonly bigint[] = [
  0n,
  -1n,
  1n,
  2n,
  50n,
  200n,
  201n,
  1_000_000n,
  2n ** 31n - 1n,
  2n ** 31n,
  -(2n ** 31n),
  -(2n ** 31n) - 1n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 64n - 1n,
];

/** Seconds since 1970: of today, at the ends of the years 1 and 9999, and far outside of them. */
export const SECONDS: readonly bigint[] = [
  1_760_000_000n,
  0n,
  -1n,
  -62_135_596_800n,
  -62_135_596_801n,
  253_402_300_799n,
  253_402_300_800n,
  2n ** 53n,
  2n ** 62n,
  -(2n ** 62n),
  2n ** 63n - 1n,
];

/** Makes up values. With a risk of 0 all of them look right; with 100, none needs to. */
export class Values {
  readonly random: Random;
  /** The organizations whose things may be named. */
  readonly #sides: readonly string[];
  readonly #risk: number;
  readonly #about: string;
  /** Percentage of optional fields that are set. */
  readonly #given: number;

  constructor(
    random: Random,
    sides: readonly string[],
    risk: number,
    about: string,
    given = random.pick([10, 30, 30, 60, 90]),
  ) {
    this.random = random;
    this.#sides = sides;
    this.#risk = risk;
    this.#about = about;
    this.#given = given;
  }

  /**
   * The same without any risk and with few optional fields: for entries of long lists. Ten requests in 5,000, with lists in
   * lists in lists, would otherwise have most fields of all, and be too large to get anywhere.
   */
  plain(): Values {
    return new Values(this.random, this.#sides, 0, this.#about, 5);
  }

  /** Whether something goes wrong here. */
  goesWrong(): boolean {
    return this.random.below(100) < this.#risk;
  }

  oneIn(count: number): boolean {
    return this.random.below(count) === 0;
  }

  /** Whether a field is set at all. */
  isGiven(field: DescField): boolean {
    const { required, outputOnly } = fieldBehavior(field);
    const isUsual = required || isScope(field) || field.name === "name";
    const percent = isUsual ? 96 : outputOnly ? 6 : this.#given;
    return this.random.below(100) < percent;
  }

  /** A thing of a kind, by the name that stands for its uid. */
  thing(kind: ThingKind): string {
    return `<${this.random.pick(this.#sides)}.${kind}>`;
  }

  anything(): string {
    const uid = this.thing(this.random.pick(KINDS));
    if (!this.oneIn(12)) return uid;
    return this.random.pick([
      `${uid}/`,
      `/${uid}`,
      `${uid}/${"0".repeat(16)}`,
      `${uid} `,
      "anyone",
    ]);
  }

  /** A text that nothing expects; NUL often, since the stores differ in it. */
  malformedText(): string {
    return this.oneIn(10) ? "a\u0000b" : this.random.pick(MALFORMED_TEXTS);
  }

  integer(field: DescField): bigint {
    if (this.goesWrong() || this.oneIn(4)) return this.random.pick(INTEGERS);
    return BigInt(/skip|page/.test(field.name) ? this.random.below(60) : this.random.below(3));
  }

  seconds(): bigint {
    return this.goesWrong() || this.oneIn(4) ? this.random.pick(SECONDS) : 1_760_000_000n;
  }

  enumNumber(field: DescField): number {
    const all = field.enum?.values ?? [];
    if (this.goesWrong() || all.length === 0) {
      return this.random.pick([-1, 0, 9_999, 2 ** 31 - 1, -(2 ** 31)]);
    }
    return this.random.pick(all).number;
  }

  mask(message: DescMessage | undefined): string {
    if (this.goesWrong() || message === undefined) return this.random.pick(MASKS);
    return this.random
      .some(message.fields, 2)
      .map((field) => field.name)
      .join(",");
  }

  /** A text for a field of this name. */
  text(field: DescField): string {
    if (this.goesWrong()) {
      return this.oneIn(4) && isReference(field) ? this.anything() : this.malformedText();
    }
    const { name } = field;
    const kind = referred(name, this.#about);
    if (kind !== undefined) return this.oneIn(8) ? this.anything() : this.thing(kind);
    const texts = usualTexts(name);
    return texts === undefined ? `word-${this.random.below(40)}` : this.random.pick(texts);
  }
}

/** Whether a field names something by its uid. */
function isReference({ name, scalar }: DescField): boolean {
  return scalar === ScalarType.STRING && referred(name, "Group") !== undefined;
}

/** Memoizes a search by key: patterns take longer than everything else that makes a request. */
function remembered<T>(find: (...key: string[]) => T): (...key: string[]) => T {
  const known = new Map<string, T>();
  return (...key) => {
    const joined = key.join("\n");
    const found = known.has(joined) ? (known.get(joined) as T) : find(...key);
    known.set(joined, found);
    return found;
  };
}

/** The kind of thing that a field names, by its own name and by the service that it is sent to. */
const referred = remembered((name = "", about = ""): ThingKind | undefined => {
  for (const [pattern, kind] of REFERENCES) if (pattern.test(name)) return kind;
  if (!/^(uid|id|ids|parent|parent_id)$/.test(name)) return undefined;
  const isParent = name.startsWith("parent");
  for (const [pattern, kind, parent] of OF_SERVICES) {
    if (pattern.test(about)) return isParent ? parent : kind;
  }
  return "group";
});

const usualTexts = remembered((name = "") => USUAL.find(([pattern]) => pattern.test(name))?.[1]);

const REFERENCES: readonly (readonly [RegExp, ThingKind])[] = [
  [/^(descendants_of|children_of|group|group_uid|registry_id|scopes?)$/, "group"],
  [/^ancestors_of$/, "tag"],
  [/^(identity|identity_uid|identity_id|author|reviewer|event_authors?)$/, "identity"],
  [/^(role|role_uid|role_uidp|default_role)$/, "role"],
  [/^identity_provider(_uid|_id|_uidp)?$/, "provider"],
  [/^(repo_uid|repo_id|source|sync_source)$/, "repo"],
];

const OF_SERVICES: readonly (readonly [RegExp, kind: ThingKind, parent: ThingKind])[] = [
  [/RoleBinding/, "binding", "group"],
  [/RoleMapping/, "mapping", "provider"],
  [/Role/, "role", "group"],
  [/IdentityProvider/, "provider", "org"],
  [/Invite/, "invite", "group"],
  [/Identit/, "identity", "group"],
  [/AdvisoryEvent/, "event", "advisory"],
  [/Advisor/, "advisory", "group"],
  [/Tag/, "tag", "repo"],
  [/Repo|Image|Registry/, "repo", "group"],
];

/** Texts that fields of such names usually have. */
const USUAL: readonly (readonly [RegExp, readonly string[]])[] = [
  [/page_token/, ["", "<own.page>", "<third.page>"]],
  [/order_by/, ORDERS],
  [/digest/, [`sha256:${"0".repeat(63)}1`, `sha256:${"a".repeat(64)}`, "<own.digest>"]],
  [/issuer_keys/, ['{"keys":[]}', '{"keys":[{"kty":"EC"}]}']],
  [/issuer_pattern/, ["https://127\\.0\\.0\\.1:1/.*", "https://[a-z]+\\.invalid"]],
  [/issuer/, ["<own.issuer>", "https://issuer.invalid", "https://127.0.0.1:1"]],
  [/pattern/, ["a.*", "[a-z]+", "x|y"]],
  [/aud/, ["<own.url>", "registry.test", "127.0.0.1"]],
  [/^cap$/, ["groups.list", "repo.list", "tag.create", "owner"]],
  [/email/, ["ada@acme.invalid", "not an address"]],
  [/token/, ["<own.token>", "a.b.c"]],
  [/code/, ["ABCD-EFGH", "<own.code>"]],
  [/etag/, ["", '"1"', "1"]],
  [/version/, ["3.1.4-r0", "0", "1:2.0~rc1"]],
  [/advisory_id|aliases|query/, ["CGA-2222-2222-2222", "CVE-2026-0001", "GHSA-aaaa-bbbb-cccc"]],
  [/type/, ["apk", "oci", "npm"]],
  [
    /account|project|tenant|client/,
    ["123456789012", "project-1", "00000000-0000-0000-0000-000000000000"],
  ],
  [/arn/, ["arn:aws:sts::123456789012:assumed-role/ci/run"]],
  [/content|readme/, ["# Title\n\n[a](https://a.invalid)", "<b>bold</b>", "<img onerror=x>"]],
  [/overlay/, ["contents:\n  packages: [bash]", "{}", "a: &a [*a]"]],
  [/host/, ["registry.test", "127.0.0.1:1"]],
  [/capabilities/, ["groups.list", "repo.list"]],
];
