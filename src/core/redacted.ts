// What stands where a secret stood.

/** Without the kind of secret: one word is the same in logs, pages, prompts and patches. */
export const REDACTED = '[redacted]';
