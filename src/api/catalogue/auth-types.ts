/**
 * The authentication types of spec 2.2, in its order. They are in a small module because help and
 * completion load it.
 */
export const AUTH_TYPES = ["oauth2", "apiKey", "basic", "jwt", "custom", "none"] as const;
