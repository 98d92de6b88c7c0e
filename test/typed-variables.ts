/** Splits words such as `AMP_PARALLEL=1`, as a shell has them before a command, from the others. */
export function withVariables(argv: readonly string[]) {
  const isVariable = (word: string) => /^AMP_[A-Z_]+=/u.test(word);
  const variables = argv.filter(isVariable).map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  return {
    words: argv.filter((word) => !isVariable(word)),
    env: Object.fromEntries(variables) as Readonly<Record<string, string>>,
  };
}
