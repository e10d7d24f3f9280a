import { runAdmin } from "./admin.ts";
import { usage } from "./help.ts";
import { runServe } from "./serve.ts";
import { version } from "./version.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong use. */
const WRONG_USE = 2;

async function run([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case "serve":
      return runServe(args);
    case "admin":
      return runAdmin(args);
    case "--version":
    case "version":
      return console.log(version());
    case "--help":
    case "help":
      return console.log(usage());
    default:
      console.error(usage());
      process.exitCode = WRONG_USE;
  }
}

run(process.argv.slice(2)).catch((error: Error & { code?: string }) => {
  const misused = error.name === "ConfigError";
  // A port in use, a database that does not answer: the message says it, a stack would not.
  const expected = misused || typeof error.code === "string";
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  console.error(expected ? `wharf: ${error.message}${cause}` : error);
  process.exitCode = misused ? WRONG_USE : 1;
});
