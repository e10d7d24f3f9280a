import type { Run } from "../command/types.ts";
import type { zshDefinition } from "./commands.ts";

/** Serves both ways: as a file that compinit finds, and sourced. */
const SCRIPT = `#compdef wharf
_wharf() {
  local -a candidates
  local line
  for line in "\${(@f)$(wharf __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( $#candidates )) && _describe -V wharf candidates
}
if [[ $funcstack[1] == _wharf ]]; then
  _wharf "$@"
else
  compdef _wharf wharf
fi`;

export const run: Run<typeof zshDefinition> = async ({ out }) => out.text(SCRIPT);
