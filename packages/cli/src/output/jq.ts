import { failed, usageError } from "../errors.ts";
import { toJson } from "./columns.ts";

/** Prints the results of an expression for a value, one a line: texts as they are, others as JSON. */
export type Jq = (value: unknown) => string;

/** jq's exit code for an expression that is not valid. */
const INVALID = 3;

/** Compiles an expression of jq. Checked before a command does anything. */
export async function compileJq(
  expression: string,
  indented: boolean,
  warn: (text: string) => void,
): Promise<Jq> {
  const { loadJq } = await import("jq-wasm/inline");
  const jq = await loadJq();
  const flags = indented ? ["-r"] : ["-r", "-c"];
  const run = (input: string, program: string) => {
    const { stdout, stderr, exitCode } = jq.raw(input, program, flags);
    const message = stderr.replaceAll(/^jq: (?:error(?: \(at [^)]*\))?: )?/gm, "").trim();
    if (exitCode === INVALID)
      throw usageError(`--jq: ${message.split("\n")[0]?.replace(/:$/, "")}`);
    if (exitCode !== 0) throw failed(`--jq: ${message}`);
    if (message !== "") warn(`--jq: ${message}`);
    return stdout;
  };
  try {
    // The expression is compiled, and never evaluated. A comment at its end must not hide the parenthesis.
    run("null", `empty | (${expression}\n)`);
  } catch (error) {
    // Names the place of the mistake in the expression itself.
    run("null", expression);
    throw error;
  }
  return (value) => {
    const text = run(toJson(value), expression);
    return text === "" ? "" : `${text}\n`;
  };
}
