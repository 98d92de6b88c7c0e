/** Spec 2.2, in its order. A type of authentication, not a state. Light, for help and completion. */
export const AUTH_TYPES = ["oauth2", "apiKey", "basic", "jwt", "custom", "none"] as const;
