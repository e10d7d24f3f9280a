import type { Run } from "../command/types.ts";
import type { bashDefinition, fishDefinition, zshDefinition } from "./commands.ts";

/**
 * Supports bash 3 of macOS. Bash splits words at `=` and `:`; the script joins them before it asks
 * `wharf __complete`, and keeps only what follows the last of these.
 */
const BASH = `# bash completion for wharf
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

export const bash: Run<typeof bashDefinition> = async ({ out }) => out.text(BASH);

/** Works as a file that compinit finds, and sourced. */
const ZSH = `#compdef wharf
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

export const zsh: Run<typeof zshDefinition> = async ({ out }) => out.text(ZSH);

const FISH = `# fish completion for wharf
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

export const fish: Run<typeof fishDefinition> = async ({ out }) => out.text(FISH);
