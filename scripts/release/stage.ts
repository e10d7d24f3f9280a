/** `node scripts/release/stage.ts DIR`: writes the package of the command into a folder, unpacked: for images. */
import { resolve } from "node:path";
import { stageCommand } from "./command-package.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("give the folder to write to");
await stageCommand(resolve(folder));
