// The marker that replaces a secret.

/** Does not name the kind of secret: one marker in logs, pages, prompts and patches. */
export const REDACTED = '[redacted]';
