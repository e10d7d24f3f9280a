import type { Run } from "../command/types.ts";
import type { fishDefinition } from "./commands.ts";

const SCRIPT = `# fish completion for wharf
function __wharf_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string unescape)
    for line in (wharf __complete -- $words[2..] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c wharf -f -a '(__wharf_complete)'`;

export const run: Run<typeof fishDefinition> = async ({ out }) => out.text(SCRIPT);
