// How an outline recognises definitions: one regular expression a kind, tried on each line.
import type { Symbol as Definition } from '../core/source.ts';

export interface OutlineRule {
  readonly kind: Definition['kind'];
  /** Matched against one line; its group `name` is the symbol's name. */
  readonly line: RegExp;
  /** Only where the parentheses are followed by a block: a call looks the same but ends with `;` or `)`. */
  readonly block?: boolean;
}

export interface OutlineLanguage {
  readonly rules: readonly OutlineRule[];
  readonly comments: 'c' | 'hash' | 'php';
  /** Text between two of these marks is skipped (Python's long strings, Ruby's `=begin`). */
  readonly longText?: RegExp;
}

/** Goes before a name: a statement's keyword with parentheses is no definition. */
export const NOT_A_NAME =
  '(?!(?:if|else|for|foreach|while|do|switch|case|catch|return|throw|new|await|yield|typeof|delete|super|function|sizeof|using|lock|fixed|when|elseif|match|with|synchronized|assert|goto|not|and|or|in|is|defer|go|select|unless|until|then|echo|print|require|include|import|export|package|namespace)\\b)';
