/** The entry point of the bundle with the commands of operators, which contain the server. */
export { run } from "./commands.ts";
