import type { Run } from "../command/types.ts";
import type { bashDefinition } from "./commands.ts";

/**
 * Works with the bash of macOS, too. Bash takes words apart at `=` and `:`; they are put together
 * again before we are asked, and only what comes after the last of these is answered.
 */
const SCRIPT = `# bash completion for wharf
_wharf() {
  local -a words=()
  local i last word prefix line
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    last=$((\${#words[@]} - 1))
    if [[ $last -ge 0 && ( $word == [=:]* || \${COMP_WORDS[i - 1]} == [=:] ) ]]; then
      words[last]+=$word
    else
      words+=("$word")
    fi
  done
  last=$((\${#words[@]} - 1))
  word=\${words[last]//\\\\/}
  word=\${word#[\\"\\']}
  words[last]=$word
  prefix=\${word%"\${word##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    line=\${line%%$'\\t'*}
    COMPREPLY+=("$(printf %q "\${line#"$prefix"}")")
  done < <(wharf __complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _wharf wharf`;

export const run: Run<typeof bashDefinition> = async ({ out }) => out.text(SCRIPT);
