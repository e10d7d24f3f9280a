import { setImmediate } from "node:timers/promises";
import { BoundedCache } from "../bounded-cache.ts";
import { Program } from "./program.ts";
import { compileCost, MAX_STEPS, TOO_LARGE, textProblem } from "./size.ts";
import type { StepBudget } from "./step-budget.ts";

/** An invalid pattern. The message is a predicate, to follow the name of the pattern. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Patterns with fewer steps compile in less than a millisecond, and need not queue. */
const MAX_INLINE_COMPILE_STEPS = 250;

/** Evaluations with fewer steps take less than a millisecond, and need not queue. */
const MAX_INLINE_STEPS = 10_000;

const CACHE_BOUNDS = { maxEntries: 20_000, maxBytes: 32 * 1024 * 1024 };

/**
 * Compiled patterns by their text. Costly work runs one piece per tick of the event loop, so that it
 * delays only its own callers.
 */
class Patterns {
  readonly #programs = new BoundedCache<string, Program>(CACHE_BOUNDS);
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * A compiled pattern, synchronously if it is cached or cheap. Throws, or rejects with, a PatternError if the
   * pattern is invalid or too large.
   */
  compile(pattern: string): Program | Promise<Program> {
    const cached = this.#programs.get(pattern);
    if (cached !== undefined) return cached;
    const problem = textProblem(pattern);
    if (problem !== undefined) throw new PatternError(problem);
    if (compileCost(pattern) <= MAX_INLINE_COMPILE_STEPS) return this.#compile(pattern);
    return this.#queued(() => this.#programs.get(pattern) ?? this.#compile(pattern));
  }

  /**
   * Whether a pattern matches the whole value. Throws, or rejects with, a PatternError, or a
   * StepLimitError if the budget does not suffice.
   */
  matches(pattern: string, value: string, budget: StepBudget): boolean | Promise<boolean> {
    const program = this.compile(pattern);
    return program instanceof Promise
      ? program.then((compiled) => this.#run(compiled, value, budget))
      : this.#run(program, value, budget);
  }

  #run(program: Program, value: string, budget: StepBudget): boolean | Promise<boolean> {
    const evaluate = () => program.matches(value, budget);
    const isCheap = program.steps * value.length <= MAX_INLINE_STEPS;
    return isCheap ? evaluate() : this.#queued(evaluate);
  }

  #queued<T>(work: () => T): Promise<T> {
    const done = this.#queue.then(async () => {
      await setImmediate();
      return work();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #compile(pattern: string): Program {
    const program = compiledProgram(pattern);
    if (program.steps > MAX_STEPS) throw new PatternError(TOO_LARGE);
    this.#programs.set(pattern, program, program.bytes);
    return program;
  }
}

function compiledProgram(pattern: string): Program {
  try {
    return new Program(pattern);
  } catch (error) {
    throw new PatternError(`is not a valid RE2 expression: ${(error as Error).message}`);
  }
}

/** The patterns of this process. */
export const PATTERNS = new Patterns();
