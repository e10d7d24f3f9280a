/** `node bench/pages/main.ts`: writes docs/performance.md and docs/scale.md from the results in bench/results. */
import { writePages } from "./pages.ts";

for (const path of writePages()) console.log(path);
