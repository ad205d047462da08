// A number with its noun.

const RULES = new Intl.PluralRules('en', { type: 'ordinal' });

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** Such as `21st`. */
export function formatOrdinal(number: number): string {
  return `${number}${ENDINGS[RULES.select(number)] ?? 'th'}`;
}

/** `1 file`, `3 files`. */
export function formatCounted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
