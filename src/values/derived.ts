/**
 * An object like another, but with some members of its own: how every context, and every part of
 * one, is derived. Getters stay getters, so that nothing is opened or read which nobody asks for; a
 * spread would call them, and leave out what its object inherits.
 */
export function derived<Base extends object, Members extends object>(
  base: Base,
  members: Members,
): Omit<Base, keyof Members> & Members {
  return Object.create(Object.getPrototypeOf(base), {
    ...Object.getOwnPropertyDescriptors(base),
    ...Object.getOwnPropertyDescriptors(members),
  });
}
