# bash completion for amp, which is asked at each Tab. Printed by: amp completion bash
_amp() {
  local word
  COMPREPLY=()
  if (( BASH_VERSINFO[0] > 3 )); then compopt -o nosort 2> /dev/null; fi
  while IFS= read -r word; do
    if [[ $word != :files ]]; then
      COMPREPLY+=("$word")
    elif (( BASH_VERSINFO[0] > 3 )); then
      compopt -o default
    fi
  done < <("${1/#\~\//$HOME/}" __complete --line "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
}
# bash before 4.0 offers files wherever there is nothing else.
if (( BASH_VERSINFO[0] > 3 )); then
  complete -F _amp amp amp-admin
else
  complete -o default -F _amp amp amp-admin
fi
