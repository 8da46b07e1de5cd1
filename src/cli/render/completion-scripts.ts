/** Shell completion scripts, which call `loadtests complete` for the candidates. */

const BASH_SCRIPT = `# Bash completion for loadtests. Add this line to ~/.bashrc: eval "$(loadtests completion bash)"
_loadtests() {
  local IFS=$'\\n' line current=\${COMP_WORDS[COMP_CWORD]} program=\${COMP_WORDS[0]/#\\~/$HOME}
  [[ $current == = ]] && current=
  COMPREPLY=()
  while read -r line; do
    if [[ $line == :files ]]; then
      while read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null && return
      break
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("$program" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # bash inserts candidates into the command line verbatim, unless they are "filenames".
  for line in "\${!COMPREPLY[@]}"; do printf -v "COMPREPLY[$line]" %q "\${COMPREPLY[line]}"; done
}
complete -F _loadtests loadtests
`;

const ZSH_SCRIPT = `#compdef loadtests
# Zsh completion for loadtests. Add this line to ~/.zshrc, after compinit: eval "$(loadtests completion zsh)"
_loadtests() {
  local line
  local -a candidates
  for line in "\${(@f)$("\${(Q)words[1]}" complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    [[ -n $line ]] && candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  _describe loadtests candidates
}
if [[ \${funcstack[1]} == _loadtests ]]; then
  _loadtests "$@"
else
  compdef _loadtests loadtests
fi
`;

const FISH_SCRIPT = `# Fish completion for loadtests. To install it:
#   loadtests completion fish > ~/.config/fish/completions/loadtests.fish
function __loadtests_candidates
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (command $words[1] complete -- $words[2..-1] 2>/dev/null)
  if test "$lines[1]" = ':files'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $lines
  end
end
complete -c loadtests -f -a '(__loadtests_candidates)'
`;

export const COMPLETION_SCRIPTS = { bash: BASH_SCRIPT, zsh: ZSH_SCRIPT, fish: FISH_SCRIPT } as const;

// The cast is valid, because the constant object has no other keys.
export const SHELLS = Object.keys(COMPLETION_SCRIPTS) as readonly (keyof typeof COMPLETION_SCRIPTS)[];
