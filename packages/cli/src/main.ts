import { runAdmin } from "./admin.ts";
import { usage } from "./help.ts";
import { runServe } from "./serve.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong use. */
const WRONG_USE = 2;

const [command, ...args] = process.argv.slice(2);
try {
  switch (command) {
    case "serve":
      await runServe(args);
      break;
    case "admin":
      await runAdmin(args);
      break;
    case "--version":
    case "version":
      console.log((await import("./version.ts")).version());
      break;
    case "--help":
    case "help":
      console.log(usage());
      break;
    default:
      console.error(usage());
      process.exitCode = WRONG_USE;
  }
} catch (error) {
  const { name, message } = error as Error;
  console.error(name === "ConfigError" ? `wharf: ${message}` : error);
  process.exitCode = name === "ConfigError" ? WRONG_USE : 1;
}
