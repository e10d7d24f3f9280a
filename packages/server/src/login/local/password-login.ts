import { audit, auditEntry, UNAUTHENTICATED } from "../../engine/audit.ts";
import { Mutation } from "../../engine/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import {
  findAccount,
  findAccountForChange,
  type LocalAccount,
  noteFailure,
  setPasswordHash,
} from "../../store/tables/local-accounts.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import type { AttemptLimiter } from "../attempts.ts";
import { readForm } from "../browser.ts";
import { showSignIn } from "../browser-login.ts";
import { browserCall, type LoginDeps, redeemLogin, resumeLogin } from "../login.ts";
import type { Person } from "../people/person.ts";
import { updateLastSeen } from "../people/registration.ts";
import { afterSignIn } from "../steps.ts";
import { personOf } from "./accounts.ts";
import { normalizeUsername } from "./rules.ts";

/** The same words whether there is such an account, whether it is locked, and whatever was wrong. */
const WRONG_CREDENTIALS =
  "The username or password is wrong, or there were too many attempts: wait a while before you try again.";

/** Goes on with a login by username and password. */
export async function passwordLogin(
  deps: LoginDeps,
  attempts: AttemptLimiter,
  http: HttpRequest,
): Promise<HttpResponse> {
  attempts.count("password", http.remoteAddress);
  const form = await readForm(http);
  const call = browserCall(http);
  const ticket = form.get("login") ?? "";
  const login = await resumeLogin(deps, http, ticket, call.time);
  const username = form.get("username") ?? "";
  const person = await signIn(deps, call, username, form.get("password") ?? "");
  if (person === undefined) return showSignIn(deps, login, { error: WRONG_CREDENTIALS, username });
  await redeemLogin(deps, http, ticket, call.time);
  return afterSignIn(deps, call, { ...login, person });
}

/** Who has this username and password; undefined for everyone else. */
async function signIn(
  deps: LoginDeps,
  call: Call,
  typed: string,
  password: string,
): Promise<Person | undefined> {
  const { engine, addresses } = deps;
  const username = normalizeUsername(typed);
  const found = username ? await findAccount(engine.store.reader, username) : undefined;
  const claim = { found, password, refusal: "login refused", isSignedIn: false };
  return withPassword(deps, call, claim, async (tx, account, kept) => {
    const { identity } = account;
    await setPasswordHash(tx, identity, kept);
    await updateLastSeen(new Mutation(call, tx, engine, { actor: identity }), identity);
    return personOf(addresses().authUrl, account);
  });
}

/** A password that someone says is that of an account. */
export interface PasswordAttempt {
  readonly found: LocalAccount | undefined;
  readonly password: string;
  /** What the audit log calls it when it is not. */
  readonly refusal: string;
  /** Whether it comes from a signed-in person. Anyone else's refusals are aggregated. */
  readonly isSignedIn: boolean;
}

/**
 * Does something for whoever knows the password of an account; undefined for everyone else. The hash is
 * looked at first and outside, because that takes long; what it means is decided on what is stored by then.
 * `kept` is the hash as it would be made today.
 */
export async function withPassword<T>(
  { engine: { store, auditAggregator }, passwords }: LoginDeps,
  call: Call,
  { found, password, refusal, isSignedIn }: PasswordAttempt,
  work: (tx: Transaction, account: LocalAccount, kept: string) => Promise<T>,
): Promise<T | undefined> {
  const hash = found?.passwordHash ?? "";
  const right = await passwords.verify(hash, password, call.remoteAddress);
  const kept =
    right && passwords.isOutdated(hash) ? await passwords.hash(password, call.remoteAddress) : hash;
  const now = Date.now();
  const outcome = await store.write(async (tx) => {
    const account = found && (await findAccountForChange(tx, found.identity));
    // Also those who asked before it was locked: many tries at once are many tries.
    const locked = account !== undefined && account.lockedUntil > call.time;
    if (account !== undefined && right && !locked && account.passwordHash === hash) {
      return { value: await work(tx, account, kept) };
    }
    if (account !== undefined && !locked) await noteFailure(tx, lockAfterFailure(account, now));
    // Without the username: people type passwords there.
    const resource = account?.identity ?? "";
    const passkeyRejected = { action: refusal, resource, code: UNAUTHENTICATED };
    if (isSignedIn) await audit(tx, call, passkeyRejected);
    return { passkeyRejected };
  });
  if ("value" in outcome) return outcome.value;
  const { passkeyRejected } = outcome;
  if (!isSignedIn)
    await auditAggregator.record(auditEntry(call, passkeyRejected), passkeyRejected.resource);
  return undefined;
}

/** Slips are free. After them each failure locks the account, for twice as long as the one before. */
const FAILURES_BEFORE_LOCK = 4;
const FIRST_LOCK_MS = 30_000;
const MAX_LOCK_MS = 15 * 60_000;

/** An account after one more wrong password. */
export function lockAfterFailure(
  { identity, failures }: LocalAccount,
  now: number,
): Pick<LocalAccount, "identity" | "failures" | "lockedUntil"> {
  const locks = failures - FAILURES_BEFORE_LOCK;
  const lock = locks < 0 ? 0 : Math.min(FIRST_LOCK_MS * 2 ** locks, MAX_LOCK_MS);
  return { identity, failures: failures + 1, lockedUntil: lock === 0 ? 0 : now + lock };
}
