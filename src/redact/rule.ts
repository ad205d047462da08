// What a rule says: how a form of secret reads, and what else must be so.

/**
 * A form of secret. With two groups the second is the secret and the first its context; without, the whole match is.
 * `wrapped`: how it is recognised when a line break stands inside. `form`: the whole has the form, however short the first line;
 * `start`: the first line must be recognised by itself; the next one is only added if it looks random.
 */
export interface Rule {
  readonly pattern: RegExp;
  /** What the text must hold for the pattern to be tried: for those that cannot start with a fixed letter. */
  readonly needs?: string;
  readonly wrapped: 'form' | 'start';
  readonly accepts?: (secret: string, context: string, match: RegExpExecArray) => boolean;
}
