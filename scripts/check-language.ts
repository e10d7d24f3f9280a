/**
 * Rejects words of a private dialect and British spelling in identifiers, comments, texts and documents, and suggests
 * the word of the glossary; bounds the definitions by relative clause. `node scripts/check-language.ts` lists the
 * violations and counts them by folder, with `--relative` these definitions.
 */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, StepError } from "./step.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly suggestion: string;
}

/** A word that should not be there. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly suggestion: string;
}

/** Words of prose: comments, documents, and strings that are sentences. */
const PROSE: readonly Rule[] = [
  { pattern: /\bwho(?:so)?ever\b/gi, suggestion: "the caller, the user, anyone who" },
  { pattern: /\banew\b/gi, suggestion: "again" },
  { pattern: /\btold\b/gi, suggestion: "notified, reported, given; distinguished for told apart" },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, suggestion: "fix, repair" },
  { pattern: /\btak(?:e|es|en|ing) in\b/gi, suggestion: "ingest, import, apply" },
  { pattern: /\blook(?:s|ed|ing)? through\b/gi, suggestion: "reconcile, scan, search" },
  { pattern: /\bh(?:e|o)ld(?:s|ing)? (?:\w+ ){0,3}against\b/gi, suggestion: "compare with, check" },
  // A reconcile pass over a registry is the noun.
  { pattern: /(?<!reconcile )\bpass(?:es|ed|ing)? over\b/gi, suggestion: "skip, ignore" },
  { pattern: /\bas far as\b/gi, suggestion: "if, where, to the extent that" },
  { pattern: /\b(?:what|all that) is known (?:of|about)\b/gi, suggestion: "metadata" },
  { pattern: /\bone(?:'s own|self)\b/gi, suggestion: "your own, yourself" },
  { pattern: /\b(?:spel|lear)nt\b/gi, suggestion: "spelled, learned" },
];

/** Words of constants, which say what they bound. */
const CONSTANTS: readonly Rule[] = [
  { pattern: /\bMOST(?=_)/g, suggestion: "MAX_…" },
  { pattern: /(?<![A-Z])REMEMBERED(?![A-Z])/g, suggestion: "MAX_CACHE_ENTRIES" },
  { pattern: /(?<![A-Z])TOGETHER(?![A-Z])/g, suggestion: "BATCH_SIZE" },
];

/** Words of code. They are separated at underscores and capital letters, and compared in lower case. */
const IDENTIFIERS: readonly Rule[] = [
  { pattern: /\bat once\b/g, suggestion: "CONCURRENCY, MAX_CONCURRENT_…" },
  { pattern: /\bpatience\b/g, suggestion: "TIMEOUT_MS" },
  { pattern: /\blandmarks?\b/g, suggestion: "position" },
  { pattern: /\bwho(?:so)?ever\b/g, suggestion: "caller" },
  { pattern: /\banew\b/g, suggestion: "again" },
  { pattern: /\btold\b/g, suggestion: "notified, reported" },
  { pattern: /\bmend(?:s|ed)?\b/g, suggestion: "fix, repair" },
];

/** British spelling, in code and in prose. */
const SPELLING: readonly Rule[] = [
  { pattern: /\b\w*organis\w*/gi, suggestion: "organiz…" },
  { pattern: /\b\w*behaviour\w*/gi, suggestion: "behavior" },
  { pattern: /\bcolour/gi, suggestion: "color" },
  // CANCELLED is the name of a gRPC status.
  { pattern: /\b[Cc]ancell(?:ed|ing)\b/g, suggestion: "canceled, canceling" },
  {
    pattern: /\b(?:recogni|authori|normali|initiali|seriali)s(?:e|es|ed|ing)\b/gi,
    suggestion: "…ize",
  },
  { pattern: /\blicence/gi, suggestion: "license" },
  { pattern: /\bcatalogue/gi, suggestion: "catalog" },
];

/**
 * Ceiling of definitions by relative clause and of participles as nouns in the whole repository. Lower it with every
 * change that removes some.
 */
const MAX_RELATIVE_DEFINITIONS = 487;

/** A doc comment names the kind of a thing first, then its purpose. */
const RELATIVE_CLAUSE = /^\/\*\*[\s*]*((?:What|Who|Whom|Whose|Where|How|Those|The ones?)\b)/;
const PARTICIPLES = "given|known|wanted|kept|held|shown|asked";
const PARTICIPLE_CLAUSE = new RegExp(`\\bwhat (?:is|are|was|were) (?:${PARTICIPLES})\\b`, "gi");
const PARTICIPLE = new RegExp(`^(?:${PARTICIPLES}|further)$`);
const DECLARATION = /\b(?:const|let)\s+$/;

/** A piece of a file: its kind decides which words count. */
interface Piece {
  readonly kind: "identifier" | "comment" | "string";
  readonly text: string;
  readonly at: number;
}

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const IDENTIFIER = /[A-Za-z_$][\w$]*/y;
const REGEX = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Characters that begin no other token, except for braces, which end templates. */
const OTHER = /[^\w$"'`/{}]+/y;
/** After one of these, a slash begins a regular expression; after anything else, it divides. */
const BEFORE_REGEX = /(?:[(,=:[!&|?{};+<>~-]|=>|\breturn|\bcase|^)\s*$/;

/** The identifiers, comments and strings of TypeScript or protobuf. Texts of template literals are strings. */
function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  /** For each open `${`, how many braces are open within. */
  const templates: number[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const template = () => {
    const begin = at;
    while (at < source.length && source[at] !== "`") {
      if (source.startsWith("${", at)) {
        pieces.push({ kind: "string", text: source.slice(begin, at), at: begin });
        at += 2;
        templates.push(0);
        return;
      }
      at += source[at] === "\\" ? 2 : 1;
    }
    pieces.push({ kind: "string", text: source.slice(begin, at), at: begin });
    at++;
  };
  /** Reads the token that begins with a character, and records it if it has words. */
  const take = (char = ""): string => {
    const add = (kind: Piece["kind"], text: string, shown = text) => {
      pieces.push({ kind, text: shown, at });
      return text;
    };
    if (char === "/") {
      const comment = match(COMMENT);
      if (comment !== undefined) return add("comment", comment);
      const before = source.slice(Math.max(0, at - 40), at);
      return (BEFORE_REGEX.test(before) ? match(REGEX) : undefined) ?? char;
    }
    if (char === '"' || char === "'") {
      const string = match(STRING);
      return string === undefined ? char : add("string", string, string.slice(1, -1));
    }
    const identifier = match(IDENTIFIER);
    return identifier === undefined ? (match(OTHER) ?? char) : add("identifier", identifier);
  };
  while (at < source.length) {
    const char = source[at];
    const open = templates.at(-1);
    if (char === "`") {
      at++;
      template();
    } else if (char === "}" && open === 0) {
      templates.pop();
      at++;
      template();
    } else if ((char === "{" || char === "}") && open !== undefined) {
      templates[templates.length - 1] = open + (char === "{" ? 1 : -1);
      at++;
    } else {
      at += take(char).length;
    }
  }
  return pieces;
}

/** Replaces code and addresses in prose by blanks: names of the outside world are not ours to choose. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, " ");
  return text
    .replaceAll(/^( *)```.*?^\1```$/gms, blank)
    .replaceAll(/`[^`]*`/g, blank)
    .replaceAll(/https?:\/\/\S+/g, blank)
    .replaceAll(/\]\([^)\s]*\)/g, blank);
}

/** `MOST_BYTES` and `mostBytes` become `most bytes`. */
function wordsOf(identifier: string): string {
  return identifier
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_$]+/g, " ")
    .toLowerCase()
    .trim();
}

/** A string without white space is a name of some format, not a text that anyone reads. */
function isText(piece: Piece): boolean {
  return piece.kind !== "string" || /\S\s+\S/.test(piece.text);
}

/** A word and its position. */
interface Hit {
  readonly found: string;
  readonly at: number;
  readonly suggestion: string;
}

function search(text: string, rules: readonly Rule[]): Hit[] {
  return rules.flatMap(({ pattern, suggestion }) =>
    [...text.matchAll(pattern)].map((match) => ({
      found: match[0].trim(),
      at: match.index,
      suggestion,
    })),
  );
}

/** Words that a file should not have, in their order. */
export function violationsIn(file: string, source: string): Violation[] {
  const hits = file.endsWith(".md")
    ? search(withoutCode(source), [...PROSE, ...SPELLING])
    : piecesOf(source).flatMap((piece) => hitsOf(piece));
  return located(file, source, hits);
}

function located(file: string, source: string, hits: readonly Hit[]): Violation[] {
  return hits
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, found, suggestion }) => {
      const line = source.slice(0, at).split("\n").length;
      return { file, line, found, suggestion };
    });
}

/** Doc comments that define by a relative clause, and participles that serve as nouns in comments and variables. */
export function relativeDefinitionsIn(file: string, source: string): Violation[] {
  const hits = piecesOf(source).flatMap(({ kind, text, at }): Hit[] => {
    if (kind === "comment") {
      const clause = RELATIVE_CLAUSE.exec(text);
      const kindFirst = { suggestion: "define the thing by its kind" };
      return [
        ...(clause
          ? [{ found: clause[1] as string, at: at + clause[0].length, ...kindFirst }]
          : []),
        ...[...text.matchAll(PARTICIPLE_CLAUSE)].map((match) => {
          return { found: match[0], at: at + match.index, suggestion: "use the noun of the field" };
        }),
      ];
    }
    const isVariable = kind === "identifier" && PARTICIPLE.test(text);
    if (!isVariable || !DECLARATION.test(source.slice(Math.max(0, at - 20), at))) return [];
    return [{ found: text, at, suggestion: "name the variable by its kind" }];
  });
  return located(file, source, hits);
}

/** Fails if the repository has more of these definitions than the ceiling. */
export function mustNotExceed(definitions: readonly Violation[], ceiling: number): void {
  if (definitions.length <= ceiling) return;
  const counts = countsOf(definitions).map(([folder, count]) => `${count}\t${folder}`);
  const text = `${definitions.length} relative definitions, at most ${ceiling}: list them with --relative`;
  throw new StepError([text, ...counts].join("\n"));
}

/** Hits in identifiers by identifier: most occur many times. */
const identifierHits = new Map<string, readonly Hit[]>();

function hitsInIdentifier(identifier: string): readonly Hit[] {
  const cached = identifierHits.get(identifier);
  if (cached !== undefined) return cached;
  const hits = [
    ...search(wordsOf(identifier), IDENTIFIERS),
    ...search(identifier, [...CONSTANTS, ...SPELLING]),
  ].map((hit) => ({ ...hit, found: identifier, at: 0 }));
  identifierHits.set(identifier, hits);
  return hits;
}

function hitsOf(piece: Piece): Hit[] {
  if (!isText(piece)) return [];
  const hits =
    piece.kind === "identifier"
      ? hitsInIdentifier(piece.text)
      : search(withoutCode(piece.text), [...PROSE, ...SPELLING]);
  return hits.map((hit) => ({ ...hit, at: piece.at + hit.at }));
}

const FILES = [
  "*.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "packages/*/src/**/*.{ts,tsx}",
  "packages/*/src/**/*.md",
  "packages/*/test/**/*.ts",
  "bench/**/*.ts",
  "proto/wharf/**/*.proto",
  "scripts/**/*.ts",
];
/** They name the words that they reject. */
const EXCEPT = new Set(["scripts/check-language.ts", "scripts/check-language.test.ts"]);

/** Identifiers whose spelling is part of an output format, by file. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "packages/cli/src/auth/status.ts": ["organisations"],
  "packages/cli/test/auth-cache.test.ts": ["organisations"],
};

interface Findings {
  readonly violations: readonly Violation[];
  readonly definitions: readonly Violation[];
}

/** The findings in the whole repository. */
async function readFindings(): Promise<Findings> {
  const files = FILES.flatMap((glob) => globSync(glob, { cwd: ROOT })).sort();
  const violations: Violation[] = [];
  const definitions: Violation[] = [];
  for (const file of files.filter((path) => !EXCEPT.has(path))) {
    const source = await readFile(join(ROOT, file), "utf8");
    const found = violationsIn(file, source);
    violations.push(...found.filter((violation) => !KEPT[file]?.includes(violation.found)));
    if (!file.endsWith(".md")) definitions.push(...relativeDefinitionsIn(file, source));
  }
  return { violations, definitions };
}

/** One line for a violation: its position, its word, and the suggestion. */
function shown({ file, line, found, suggestion }: Violation): string {
  return `${file}:${line}: "${found}": ${suggestion}`;
}

/** Fails with every violation, and beyond the ceiling of relative definitions. */
export async function languageIsPlain(): Promise<void> {
  const { violations, definitions } = await readFindings();
  if (violations.length > 0) throw new StepError(violations.map(shown).join("\n"));
  mustNotExceed(definitions, MAX_RELATIVE_DEFINITIONS);
}

/** Counts by folder: `packages/server/src/login`, `docs`, … */
function countsOf(violations: readonly Violation[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { file } of violations) {
    const folder = file
      .split("/")
      .slice(0, -1)
      .slice(0, file.startsWith("packages/") ? 4 : 1)
      .join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

if (import.meta.main) {
  const { violations, definitions } = await readFindings();
  const listed = process.argv.includes("--relative") ? definitions : violations;
  for (const violation of listed) console.log(shown(violation));
  for (const [folder, count] of countsOf(listed)) console.log(`${count}\t${folder || "."}`);
  const ceiling = MAX_RELATIVE_DEFINITIONS;
  console.log(`${definitions.length} relative definitions, at most ${ceiling}`);
  process.exitCode = violations.length > 0 || definitions.length > ceiling ? 1 : 0;
}
