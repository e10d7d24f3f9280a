/** Replaces what differs between runs (UIDs, times, keys, addresses) by values that are the same in each. */
import { createHash } from "node:crypto";
import { BUILTIN_ROLES, literalIdentityUid } from "@wharf/contract";
import { OPERATOR_UID } from "../../src/auth/caller.ts";
import { VERSION } from "../../src/lib/version.ts";

const UID = /(?<![0-9a-f])[0-9a-f]{40}(?:\/[0-9a-f]{16})*(?![0-9a-f])/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const ADVISORY = /\bCGA(?:-[2-9a-z]{4}){3}\b/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
/** The lines of a key or a certificate. */
const ARMOR = /(?<=-----BEGIN [A-Z ]+-----\n)[^-]+(?=-----END)/g;
/** The number of a line of metrics. */
const METRIC = /(?<=^[a-z_]+(?:\{.*\})? )[\d.e+-]+$/gm;
/** A line of checksums. */
const CHECKSUM = /^[0-9a-f]{64}(?= {2})/g;
/** The year in a path of CSAF documents. */
const YEAR_FOLDER = /(?<=^|[/"\s])20\d\d(?=\/)/g;
const LOOPBACK = /(?:127\.0\.0\.1|localhost):\d+/g;
/** Lines of exports, and of streams of server-sent events. */
const JSON_LINE = /^(data: )?(\{.*\})$/m;
/** The id of a request: a random part, and a number of any length. */
const REQUEST_ID = /^[0-9a-f]{12}-[0-9a-f]+$/;
const MILLISECONDS = /\b\d{13}\b/g;

/** No secret: a shortened token that shows what tokens begin with. */
const SAMPLE_TOKEN = "eyJhbGciOiJFUzI1NiIsImtpZCI6…";
const SAMPLE_REQUEST_ID = "0123456789ab-00c";
const NOW = Date.parse("2026-01-31T09:30:00.000Z");
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Members that depend on the run: durations, sizes of archives, remaining seconds, and the start of a process that runs other tests, too. */
const MEASURED: Readonly<Record<string, (value: number) => number | string>> = {
  startTime: () => new Date(NOW).toISOString(),
  latencyMs: () => 12,
  size_bytes: () => "1234",
  expires_in: (seconds) => Math.ceil(seconds / 60) * 60,
};

/** Members whose values are random wherever they occur. */
const RANDOM =
  /^(chain|code|code_verifier|commit|device_code|ecdhPublicKey|encryptedIdtoken|etag|hash|keyId|kid|n|nextPageToken|previousHash|refresh_token|requestId|secret|sha256|token|user_code|whpk|x|x5c|y)$/;

/** UIDs that are the same in every installation. */
const CONSTANT = new Set([
  OPERATOR_UID,
  literalIdentityUid("wharf", "anyone"),
  ...BUILTIN_ROLES.map(({ uid }) => uid),
]);

export class Fakes {
  readonly #fakes = new Map<string, string>();
  /** Values that longer texts may contain. */
  readonly #random = new Set<string>();
  readonly #keptTimes = new Set<number>();
  readonly #aliases: readonly (readonly [string, string])[];

  /** `aliases`: texts, such as addresses, and what they are called in examples. */
  constructor(aliases: readonly (readonly [string, string])[]) {
    this.#aliases = aliases;
  }

  /** Keeps the times and names that a scenario has chosen itself. */
  keep(request: unknown): void {
    const text = JSON.stringify(request ?? "");
    for (const [time] of text.matchAll(TIME)) this.#keptTimes.add(Date.parse(time));
    for (const [id] of text.matchAll(ADVISORY)) this.#fakes.set(id, id);
  }

  /** A copy of a JSON value with fakes. `label` names the place where a value is seen first. */
  of(value: unknown, label: string): unknown {
    if (value === VERSION) return "1.0.0";
    if (typeof value === "string") return this.#text(value, label);
    if (typeof value === "number") return this.#number(value);
    if (Array.isArray(value)) return value.map((one, at) => this.of(one, `${label}.${at}`));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, one]) => {
      const below = `${label}.${key}`;
      if (RANDOM.test(key)) this.#isRandom(one, below);
      return [this.#text(key, below), MEASURED[key]?.(one) ?? this.of(one, below)];
    });
    return Object.fromEntries(members);
  }

  /** Remembers that a text is random, which another answer or request may contain. */
  #isRandom(value: unknown, label: string): void {
    if (Array.isArray(value)) for (const one of value) this.#isRandom(one, label);
    else if (typeof value === "string" && value !== "" && value.search(JWT) < 0) {
      this.#fake(value, label, () =>
        sameShape(value.replace(REQUEST_ID, SAMPLE_REQUEST_ID), label),
      );
      this.#random.add(value);
    }
  }

  /** The fake of a value, which is made when the value is first seen. */
  #fake(value: string, label: string, make: (label: string) => string): string {
    const known = this.#fakes.get(value);
    if (known !== undefined) return known;
    const fake = make(label);
    this.#fakes.set(value, fake);
    return fake;
  }

  #text(text: string, label: string): string {
    const known = this.#fakes.get(text);
    if (known !== undefined) return known;
    if (text === dateOf(Date.now())) return dateOf(NOW);
    if (JSON_LINE.test(text)) return this.#lines(text, label);
    let result = text.replace(JWT, SAMPLE_TOKEN).replace(ARMOR, "…\n");
    for (const [from, to] of this.#aliases) result = result.replaceAll(from, to);
    for (const value of this.#random)
      result = result.replaceAll(value, this.#fakes.get(value) as string);
    let count = 0;
    const shaped = (id: string) =>
      this.#fake(id, `${label}#${count++}`, (where) => sameShape(id, where));
    return result
      .replace(UID, (uid) => this.#uid(uid, `${label}#${count++}`))
      .replace(UUID, shaped)
      .replace(ADVISORY, (id) =>
        this.#fake(
          id,
          `${label}#${count++}`,
          (where) => `CGA-${sameShape("2222-2222-2222", where)}`,
        ),
      )
      .replace(CHECKSUM, shaped)
      .replace(TIME, (time) => this.#time(time))
      .replace(MILLISECONDS, (digits) => String(this.#number(Number(digits))))
      .replace(METRIC, "0.25")
      .replace(YEAR_FOLDER, "2026")
      .replace(LOOPBACK, "tools.example.com");
  }

  #lines(text: string, label: string): string {
    const lines = text.split("\n").map((line) => {
      const [, prefix = "", json] = JSON_LINE.exec(line) ?? [];
      if (json === undefined) return this.#text(line, label);
      return prefix + JSON.stringify(this.of(JSON.parse(json), label));
    });
    return lines.join("\n");
  }

  #uid(uid: string, label: string): string {
    if (CONSTANT.has(uid)) return uid;
    const slash = uid.lastIndexOf("/");
    return this.#fake(uid, label, () => {
      const own = sameShape(uid.slice(slash + 1), label);
      return slash < 0 ? own : `${this.#uid(uid.slice(0, slash), `${label}/`)}/${own}`;
    });
  }

  /** A time of this run becomes one of a fixed moment: rounded, so that runs do not differ. */
  #time(time: string): string {
    const ms = Date.parse(time);
    if (this.#keptTimes.has(ms)) return time;
    const digits = /\.(\d+)Z/.exec(time)?.[1]?.length ?? 0;
    // A whole day remains one.
    const since = ms % DAY_MS === 0 ? ms - dayOf(Date.now()) : rounded(ms - Date.now());
    const fake = new Date((ms % DAY_MS === 0 ? dayOf(NOW) : NOW) + since).toISOString();
    return fake.replace(".000Z", digits === 0 ? "Z" : `.${"0".repeat(digits)}Z`);
  }

  /** A number that is a time of this run, in seconds or milliseconds, becomes one of the fixed moment. */
  #number(value: number): number {
    for (const unitMs of [1, 1_000]) {
      const since = value * unitMs - Date.now();
      if (Math.abs(since) < 400 * DAY_MS && !this.#keptTimes.has(value * unitMs))
        return (NOW + rounded(since)) / unitMs;
    }
    return value;
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The midnight at which the day of a time begins. */
function dayOf(ms: number): number {
  return ms - (ms % DAY_MS);
}

function rounded(ms: number): number {
  if (Math.abs(ms) < 4 * MINUTE_MS) return 0;
  return ms < HOUR_MS / 2
    ? Math.round(ms / (5 * MINUTE_MS)) * 5 * MINUTE_MS
    : Math.round(ms / HOUR_MS) * HOUR_MS;
}

/** Maximum length of a value in an example, unless it is a hash or an id. */
const MAX_LENGTH = 43;

/** A value of the same kind that depends on the label alone. */
function sameShape(value: string, label: string): string {
  const [, prefix = "", body = ""] = /^(cgscim_|whpk_|whsec_)?(.*)$/s.exec(value) ?? [];
  const alphabet = /^[2-9-]+$/.test(body)
    ? "23456789cfghjmpqrvwx"
    : /^[0-9a-f-]+$/.test(body)
      ? "0123456789abcdef"
      : /^[0-9A-Z:-]+$/.test(body)
        ? "ABCDEFGHJKLMNPQRSTUVWXYZ"
        : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const isGrouped = alphabet.length < 30;
  const random = createHash("sha512").update(label).digest();
  const characters = [...body.slice(0, isGrouped ? random.length : MAX_LENGTH)].map(
    (character, at) =>
      isGrouped && /[-:]/.test(character)
        ? character
        : alphabet[(random[at] as number) % alphabet.length],
  );
  return prefix + characters.join("");
}
