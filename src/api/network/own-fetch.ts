/**
 * Replaced in the npm package (`build/stamp.ts`): it takes `fetch` and its classes from the package
 * undici, as a request through a proxy does, because Node takes twice as long to load its own copy.
 * Here and in the standalone program the `fetch` of the runtime is used.
 */
export {};
