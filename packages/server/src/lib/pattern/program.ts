import { RE2JS } from "re2js";
import "../code-point-at.ts";
import type { StepBudget } from "./step-budget.ts";

/** The instructions of a compiled pattern, as re2js numbers them. Captures do not matter here. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const FAIL = 5;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const RUNE1 = 9;
const RUNE_ANY = 10;
const RUNE_ANY_NOT_NL = 11;
const KNOWN = new Set([
  ...[ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP],
  ...[RUNE, RUNE1, RUNE_ANY, RUNE_ANY_NOT_NL],
]);

/** The position in the text: the bits that an EMPTY_WIDTH instruction tests. */
const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

const NEWLINE = 10;

/** An instruction as re2js compiles it. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

/** The extra steps of testing a character class, or a letter ignoring case. */
const CLASS_COST = 4;

/** The approximate memory of an instruction with its share of the scratch space. */
const BYTES_PER_STEP = 200;

/**
 * A compiled pattern that a value must match as a whole. The library compiles it; it is run here, as a
 * set of states over the characters of the value (Thompson's construction, so never with backtracking),
 * because the library cannot stop: every state that is entered or tested counts as a step of a budget.
 */
export class Program {
  readonly steps: number;
  readonly bytes: number;
  readonly #instructions: readonly Instruction[];
  readonly #ops: Uint8Array;
  readonly #outs: Int32Array;
  readonly #args: Int32Array;
  readonly #start: number;
  /** Scratch space: a run is synchronous, so one is enough. */
  readonly #entered: Uint32Array;
  readonly #stack: Int32Array;
  #states: Int32Array;
  #next: Int32Array;
  #round = 0;
  /** Steps taken since the last round began. */
  #taken = 0;

  /** Compiles a pattern. Throws the library's error if its syntax is wrong. */
  constructor(pattern: string) {
    // The group keeps alternatives within the anchors.
    const { prog } = RE2JS.compile(`^(?:${pattern})$`).re2();
    const instructions = prog.inst as Instruction[];
    const unknown = instructions.find(({ op }) => !KNOWN.has(op));
    if (unknown !== undefined) throw new Error(`unknown instruction ${unknown.op}`);
    this.steps = instructions.length;
    this.#instructions = instructions;
    this.#ops = Uint8Array.from(instructions, ({ op }) => op);
    this.#outs = Int32Array.from(instructions, ({ out }) => out);
    this.#args = Int32Array.from(instructions, ({ op, arg, runes }) =>
      op === RUNE1 ? (runes[0] as number) : arg,
    );
    this.#start = prog.start as number;
    this.#entered = new Uint32Array(this.steps);
    this.#stack = new Int32Array(this.steps + 1);
    this.#states = new Int32Array(this.steps);
    this.#next = new Int32Array(this.steps);
    const classes = new Set(instructions.map(({ runes }) => runes));
    const classBytes = [...classes].reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.bytes = BYTES_PER_STEP * this.steps + classBytes + 2 * pattern.length;
  }

  /** Throws a StepLimitError if the budget does not suffice. */
  matches(value: string, budget: StepBudget): boolean {
    let rune = value.codePointAt(0) ?? -1;
    this.#beginRound();
    let count = this.#enter(this.#states, 0, this.#start, contextOf(-1, rune));
    budget.spend(this.#taken);
    for (let at = 0; rune !== -1 && count > 0; ) {
      at += rune > 0xffff ? 2 : 1;
      const following = value.codePointAt(at) ?? -1;
      count = this.#advance(count, rune, contextOf(rune, following));
      budget.spend(this.#taken);
      rune = following;
    }
    return this.#states.subarray(0, count).some((pc) => this.#ops[pc] === MATCH);
  }

  #beginRound(): void {
    this.#taken = 0;
    this.#round = (this.#round + 1) >>> 0;
    if (this.#round !== 0) return;
    // After four billion rounds, old marks would count as new.
    this.#entered.fill(0);
    this.#round = 1;
  }

  /** Reads a character in each state, and returns how many states there are then. */
  #advance(count: number, rune: number, context: number): number {
    const states = this.#states;
    const next = this.#next;
    this.#beginRound();
    let end = 0;
    for (let index = 0; index < count; index++) {
      const pc = states[index] as number;
      if (this.#accepts(pc, rune)) end = this.#enter(next, end, this.#outs[pc] as number, context);
    }
    this.#taken += count;
    this.#states = next;
    this.#next = states;
    return end;
  }

  #accepts(pc: number, rune: number): boolean {
    switch (this.#ops[pc]) {
      case RUNE:
        return (this.#instructions[pc] as Instruction).matchRune(rune);
      case RUNE1:
        return rune === this.#args[pc];
      case RUNE_ANY:
        return true;
      case RUNE_ANY_NOT_NL:
        return rune !== NEWLINE;
      default:
        return false;
    }
  }

  /** Adds the states that are reached from an instruction without reading a character. */
  #enter(states: Int32Array, count: number, from: number, context: number): number {
    const [ops, outs, args] = [this.#ops, this.#outs, this.#args];
    const [stack, entered, round] = [this.#stack, this.#entered, this.#round];
    let taken = 0;
    let depth = 0;
    let end = count;
    let pc = from;
    for (;;) {
      if (pc !== 0 && entered[pc] !== round) {
        entered[pc] = round;
        taken++;
        const op = ops[pc] as number;
        const arg = args[pc] as number;
        if (op === ALT || op === ALT_MATCH) {
          stack[depth++] = arg;
          pc = outs[pc] as number;
          continue;
        }
        if (op === NOP || op === CAPTURE || (op === EMPTY_WIDTH && (arg & ~context) === 0)) {
          pc = outs[pc] as number;
          continue;
        }
        if (op === MATCH || op >= RUNE) states[end++] = pc;
        if (op === RUNE) taken += CLASS_COST;
      }
      if (depth === 0) break;
      pc = stack[--depth] as number;
    }
    this.#taken += taken;
    return end;
  }
}

function contextOf(before: number, after: number): number {
  return (
    (before === -1 ? BEGIN_TEXT | BEGIN_LINE : before === NEWLINE ? BEGIN_LINE : 0) |
    (after === -1 ? END_TEXT | END_LINE : after === NEWLINE ? END_LINE : 0) |
    (isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY)
  );
}

function isWord(rune: number): boolean {
  return (
    (rune >= 48 && rune <= 57) ||
    (rune >= 65 && rune <= 90) ||
    rune === 95 ||
    (rune >= 97 && rune <= 122)
  );
}
